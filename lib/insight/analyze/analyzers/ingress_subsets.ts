/**
 * Subsets of a service that requests of a gateway do not use.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";

/**
 * A VirtualService of a gateway whose destination has no subset, although a VirtualService of the
 * mesh gateway sends requests for the host to subsets: gateways do not use the latter.
 */
export const INGRESS_SUBSETS: Analyzer<"VirtualService"> = {
  name: "virtualservice.DestinationHostAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0140"],
  *analyze({ read, mesh, indexes }, { meta, spec }) {
    if (spec.gateways.length === 0) return;
    for (const [rule, { route }] of spec.http.entries()) {
      for (const [at, { destination }] of route.entries()) {
        if (destination === undefined || destination.subset !== "") continue;
        const keys = read.members(indexes.subsetRoutesByHost, destination.host);
        for (const other of rowsOf(read, mesh.tables.virtualServices, keys)) {
          const args = [objectKey(other.meta), objectKey(meta)];
          const path = `spec.http[${rule}].route[${at}].destination`;
          yield { code: "MSH0140", args, path };
        }
      }
    }
  },
};
