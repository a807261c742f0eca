/**
 * Preferences of services for endpoints near the client.
 *
 * @module
 */
import {
  type ConfigObject,
  DISTRIBUTION,
  type Distribution,
  distributionOf,
} from "../../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";

/**
 * `zone` and `node`: the zone or the node of the client matters. `all`: one of them does, so that
 * endpoints depend on the client.
 */
export type Nearness = "all" | "zone" | "node";

/** The preference of a service, without that of its namespace. */
export function preferenceOf({ meta, service }: ConfigObject<ServiceEntry>): Distribution {
  return service?.distribution ?? distributionOf(meta.annotations[DISTRIBUTION]);
}

/** The preference that a namespace gives to its services. */
export function namespacePreference({ meta }: Pick<ConfigObject, "meta">): Distribution {
  return distributionOf(meta.annotations[DISTRIBUTION]);
}

/**
 * The properties of the client that endpoints of a service depend on.
 *
 * @param nodeLocal true: only endpoints on the node of the client are used
 */
export function nearnessOf(preference: Distribution, nodeLocal: boolean = false): Nearness[] {
  if (preference === "same-node") return ["all", "zone", "node"];
  const found: Nearness[] = [];
  if (preference === "same-zone") found.push("zone");
  if (nodeLocal) found.push("node");
  return found.length === 0 ? [] : ["all", ...found];
}
