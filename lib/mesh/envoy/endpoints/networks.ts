/**
 * Endpoints in other networks. Clients reach them through the gateways of that network, which route
 * by the SNI of mutual TLS, or take tunnels with tunnels in them.
 *
 * @module
 */
import { acceptsTunnels, type NetworkGateway, type ProxyLocality } from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import type {
  AcrossNetworks,
  PlannedEndpoint,
  Reach,
  TunnelEntrance,
  TunnelTo,
} from "./planned.ts";

/**
 * Replaces endpoints in other networks by their gateways. The weight of the endpoints is divided
 * among the gateways of their network. Endpoints without mutual TLS and tunnels are not reachable from
 * other networks and are omitted.
 */
export function reach(
  planned: readonly PlannedEndpoint[],
  proxyLocality: ProxyLocality,
  { gateways, across }: Pick<Reach, "gateways"> & {
    readonly across?: AcrossNetworks | undefined;
  },
): PlannedEndpoint[] {
  const near: PlannedEndpoint[] = [];
  const far: { readonly one: PlannedEndpoint; readonly ways: readonly Way[] }[] = [];
  for (const one of planned) {
    const { network } = one;
    if (network !== "" && proxyLocality.view.length > 0 && !proxyLocality.view.includes(network)) {
      continue;
    }
    const ways = gatewaysTo(network, proxyLocality, gateways);
    // Mutual TLS, where the mesh prefers it, leads through the gateways of that.
    const isMutual = one.tunnel === undefined && ways !== undefined && ways.length > 0;
    const tunnelled = isMutual ? undefined : across && tunnelsTo(one, proxyLocality, across);
    if (tunnelled !== undefined) {
      if (tunnelled.length > 0) far.push({ one, ways: tunnelled });
      continue;
    }
    if (ways === undefined) near.push(one);
    else if (one.mutual) far.push({ one, ways });
  }
  if (far.length === 0) return near;
  // Weights are integers, so they are scaled to be divisible.
  const stretch = far.map(({ ways }) => ways.length).reduce(leastMultiple, 1);
  const entrances = new Map<string, PlannedEndpoint>();
  for (const { one, ways } of far) {
    for (const way of ways) {
      const entrance = entranceOf(one, way, one.weight * stretch / ways.length);
      const { region, zone, subzone } = entrance.endpoint.locality;
      const key = [one.network, way.address, way.port, region, zone, subzone].join("|");
      const known = entrances.get(key);
      entrances.set(key, {
        ...entrance,
        weight: (known?.weight ?? 0) + entrance.weight,
        tunnel: joined(known?.tunnel, entrance.tunnel),
      });
    }
  }
  return [...near.map((one) => ({ ...one, weight: one.weight * stretch })), ...entrances.values()];
}

/** A gateway, with the tunnel through it. */
interface Way extends NetworkGateway {
  readonly tunnel?: TunnelTo;
}

/**
 * The ways to an endpoint by tunnels; empty: it is not reached, `undefined`: tunnels do not lead to it.
 */
function tunnelsTo(
  { network, endpoint }: PlannedEndpoint,
  proxyLocality: ProxyLocality,
  { service, allowed, strict, gateways, identities }: AcrossNetworks,
): readonly Way[] | undefined {
  if (!isElsewhere(network, proxyLocality)) return undefined;
  if (!acceptsTunnels(endpoint) || !isIp(endpoint.address)) return undefined;
  const entrances = gateways(network);
  if (entrances.length === 0) return strict ? [] : undefined;
  if (!allowed) return [];
  return entrances.map(({ address, port, to, identity: gateway }: TunnelEntrance) => ({
    address,
    port,
    tunnel: {
      to,
      waypoint: "",
      identity: identities(endpoint),
      across: { service, gateway },
    },
  }));
}

/** A tunnel to what several endpoints are behind: its end has an identity of one of them. */
function joined(one: TunnelTo | undefined, other: TunnelTo | undefined): TunnelTo | undefined {
  if (one === undefined || other === undefined) return other;
  if (one.identity === "" || other.identity === "") return { ...other, identity: "" };
  const all = new Set([...one.identity.split(","), ...other.identity.split(",")]);
  return { ...other, identity: [...all].sort().join(",") };
}

/** Reports if a network is another one than that of a proxy. */
function isElsewhere(network: string, proxyLocality: ProxyLocality): boolean {
  return network !== "" && proxyLocality.network !== "" && network !== proxyLocality.network;
}

/**
 * Returns the gateways into a network as seen from a locality; `undefined`: the network is reached
 * directly. A proxy without network reaches everything directly, and endpoints without network are
 * reached directly by all proxies.
 */
export function gatewaysTo(
  network: string,
  proxyLocality: ProxyLocality,
  gateways: Reach["gateways"],
): readonly NetworkGateway[] | undefined {
  return isElsewhere(network, proxyLocality) ? gateways.get(network) : undefined;
}

/** A gateway stands for many workloads, so it has no workload name. */
function entranceOf(
  { endpoint, network }: PlannedEndpoint,
  way: Way,
  weight: number,
): PlannedEndpoint {
  return {
    endpoint: {
      ...endpoint,
      address: way.address,
      locality: way.locality ?? endpoint.locality,
      labels: {},
      health: "healthy",
      workload: "",
    },
    port: way.port,
    health: "healthy",
    weight,
    label: "",
    mutual: way.tunnel === undefined,
    tunnel: way.tunnel,
    network,
  };
}

function leastMultiple(a: number, b: number): number {
  return a / greatestDivisor(a, b) * b;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
