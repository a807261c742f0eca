/**
 * Endpoints of other networks: they are reached by the gateways of their network,
 * which find them by the server name of mutual TLS.
 *
 * @module
 */
import type { NetworkGateway } from "../../derive/mod.ts";
import type { ProxyLocality } from "../../model/mod.ts";
import type { PlannedEndpoint, Reach } from "./planned.ts";

/**
 * What a proxy connects to instead of the endpoints themselves. A gateway has the
 * weight of what is behind it, divided among the network's gateways. Endpoints
 * that take no mutual TLS cannot be reached from elsewhere, and are left out.
 */
export function reach(
  planned: readonly PlannedEndpoint[],
  place: ProxyLocality,
  { gateways }: Pick<Reach, "gateways">,
): PlannedEndpoint[] {
  const near: PlannedEndpoint[] = [];
  const far: { readonly one: PlannedEndpoint; readonly ways: readonly NetworkGateway[] }[] = [];
  for (const one of planned) {
    const { network } = one;
    if (network !== "" && place.view.length > 0 && !place.view.includes(network)) continue;
    const ways = waysTo(network, place, gateways);
    if (ways === undefined) near.push(one);
    else if (one.mutual) far.push({ one, ways });
  }
  if (far.length === 0) return near;
  // Weights are whole numbers: they are stretched so that each can be divided.
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
 * The gateways by which a network is entered from a place; `undefined`: it is reached
 * directly. A proxy that does not say where it is reaches everything,
 * and so does everybody what is in no network.
 */
export function waysTo(
  network: string,
  place: ProxyLocality,
  gateways: Reach["gateways"],
): readonly NetworkGateway[] | undefined {
  const elsewhere = network !== "" && place.network !== "" && network !== place.network;
  return elsewhere ? gateways.get(network) : undefined;
}

/** A gateway stands for many workloads and bears the name of none. */
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
    network,
  };
}

function leastMultiple(a: number, b: number): number {
  return a / greatestDivisor(a, b) * b;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
