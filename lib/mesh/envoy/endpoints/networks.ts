/**
 * Endpoints in other networks. Clients reach them through the gateways of that network, which route
 * by the SNI of mutual TLS.
 *
 * @module
 */
import type { NetworkGateway, ProxyLocality } from "../../model/mod.ts";
import type { PlannedEndpoint, Reach } from "./planned.ts";

/**
 * Replaces endpoints in other networks by their gateways. The weight of the endpoints is divided
 * among the gateways of their network. Endpoints without mutual TLS are not reachable from other
 * networks and are omitted.
 */
export function reach(
  planned: readonly PlannedEndpoint[],
  proxyLocality: ProxyLocality,
  { gateways }: Pick<Reach, "gateways">,
): PlannedEndpoint[] {
  const near: PlannedEndpoint[] = [];
  const far: { readonly one: PlannedEndpoint; readonly ways: readonly NetworkGateway[] }[] = [];
  for (const one of planned) {
    const { network } = one;
    if (network !== "" && proxyLocality.view.length > 0 && !proxyLocality.view.includes(network)) {
      continue;
    }
    const ways = gatewaysTo(network, proxyLocality, gateways);
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
      const known = entrances.get(key)?.weight ?? 0;
      entrances.set(key, { ...entrance, weight: known + entrance.weight });
    }
  }
  return [...near.map((one) => ({ ...one, weight: one.weight * stretch })), ...entrances.values()];
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
  const elsewhere = network !== "" && proxyLocality.network !== "" &&
    network !== proxyLocality.network;
  return elsewhere ? gateways.get(network) : undefined;
}

/** A gateway stands for many workloads, so it has no workload name. */
function entranceOf(
  { endpoint, network }: PlannedEndpoint,
  way: NetworkGateway,
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
    mutual: true,
    // Gateways between networks do not carry tunnels.
    tunnel: undefined,
    network,
  };
}

function leastMultiple(a: number, b: number): number {
  return a / greatestDivisor(a, b) * b;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
