/**
 * Hosts that several VirtualServices of the mesh gateway define.
 *
 * @module
 */
import { byAge, type ConfigObject, fullHost, objectKey, type Visibility } from "../../model/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { boundToMesh, visibilityOf } from "../../derive/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";

/** A host for which another VirtualService has rules too; the oldest decides. */
export const ROUTE_HOSTS: Analyzer<"VirtualService"> = {
  name: "virtualservice.ConflictingMeshGatewayHostsAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0109"],
  *analyze({ read, mesh }, row) {
    if (!boundToMesh(row.spec)) return;
    for (const [at, host] of row.spec.hosts.entries()) {
      const full = fullHost(host, row.meta.namespace, mesh.domain);
      const keys = read.members(mesh.indexes.meshRoutesByHost, full);
      const others = rowsOf(read, mesh.tables.virtualServices, keys)
        .filter((other) => other.meta !== row.meta && shareReaders(other, row));
      if (others.length === 0) continue;
      const names = [...others, row].sort(byAge).map(({ meta }) => objectKey(meta)).join(", ");
      yield { code: "MSH0109", args: [names, host], path: `spec.hosts[${at}]` };
    }
  },
};

/** True when a namespace sees both; `b` is the one that is reported. */
function shareReaders(a: ConfigObject<VirtualService>, b: ConfigObject<VirtualService>): boolean {
  const [one, two] = [a, b].map(({ spec, meta }): Visibility =>
    visibilityOf(spec.exportTo, meta.namespace)
  );
  // Those of few namespaces are reported themselves.
  if (two === "public") return one === "public";
  return one === "public" ? two!.length > 0 : one!.some((namespace) => two!.includes(namespace));
}
