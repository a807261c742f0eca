/**
 * What proxies of one place (locality, network, rules that select them) see of a host.
 *
 * @module
 */
import { localityKeys, networkOf, type Tell } from "../../derive/mod.ts";
import type { Reach } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyLocality } from "../../model/mod.ts";
import { type MeshContext, type Pick, pickFor } from "./lookups.ts";

/** What the content of a host is made from, and nothing else. */
export interface ContentKey {
  /** `namespace/host`. */
  readonly service: string;
  /** As `Policies.ruleKey`. */
  readonly rules: string;
  readonly place: ProxyLocality | undefined;
}

/** As `pick`, but rules for the workload go before all others. */
export function pickPlaced(
  read: Read,
  context: MeshContext,
  namespace: string,
  host: string,
  place: string,
  tell: Tell | undefined,
): Pick | undefined {
  return pickFor(read, context, { namespace, rules: localityKeys.decode(place).rules }, host, tell);
}

/** Reads a place's key; `undefined` for none. */
export function placeOf(key: string): ProxyLocality | undefined {
  return key === "" ? undefined : localityKeys.decode(key);
}

/** How a service's endpoints are reached from a place. */
export function reachOf(
  read: Read,
  { mesh, clusterId }: MeshContext & { readonly clusterId: string },
): Reach {
  const map = read.get(mesh.networks.all, "");
  return {
    networkOf: (endpoint) => networkOf(map, endpoint, clusterId),
    gateways: map.gateways,
  };
}
