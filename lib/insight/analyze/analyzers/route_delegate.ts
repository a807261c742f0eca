/**
 * Delegates of VirtualServices.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import type { Analyzer } from "../analyzer.ts";

/** A rule that delegates to a VirtualService that does not exist. */
export const ROUTE_DELEGATE: Analyzer<"VirtualService"> = {
  name: "virtualservice.DelegateAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0101"],
  *analyze({ read, mesh }, { meta, spec }) {
    for (const [at, { delegate }] of spec.http.entries()) {
      if (delegate === undefined) continue;
      const namespace = delegate.namespace || meta.namespace;
      const key = objectKey({ namespace, name: delegate.name });
      if (read.get(mesh.tables.virtualServices, key) !== undefined) continue;
      yield {
        code: "MSH0101",
        args: ["delegate VirtualService", key],
        path: `spec.http[${at}].delegate`,
      };
    }
  },
};
