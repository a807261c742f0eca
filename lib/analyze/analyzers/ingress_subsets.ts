/**
 * Subsets of a service that requests of a gateway do not use.
 *
 * @module
 */
import { fullHost, objectKey } from "../../model/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";
import { destinationsWithPaths } from "../references.ts";

/**
 * A VirtualService of a gateway whose destination has no subset, although a VirtualService of the
 * mesh gateway sends requests for the host to subsets: gateways do not use the latter.
 */
export const INGRESS_SUBSETS: Analyzer<"VirtualService"> = {
  name: "virtualservice.DestinationHostAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0140"],
  *analyze({ read, mesh }, { meta, spec }) {
    if (spec.gateways.length === 0 || spec.gateways.includes("mesh")) return;
    for (const { destination, path } of destinationsWithPaths(spec)) {
      if (destination.subset !== "") continue;
      const host = fullHost(destination.host, meta.namespace, mesh.domain);
      const keys = read.members(mesh.indexes.meshRoutesByHost, host);
      const others = rowsOf(read, mesh.tables.virtualServices, keys).filter((other) =>
        [...destinationsWithPaths(other.spec)].some(({ destination: one }) =>
          one.subset !== "" && fullHost(one.host, other.meta.namespace, mesh.domain) === host
        )
      );
      for (const other of others) {
        const args = [objectKey(other.meta), objectKey(meta)];
        yield { code: "MSH0140", args, path };
      }
    }
  },
};
