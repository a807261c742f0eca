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

/** A host of which an older VirtualService has the rules. */
export const ROUTE_HOSTS: Analyzer<"VirtualService"> = {
  name: "virtualservice.ConflictingMeshGatewayHostsAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0109"],
  *analyze({ read, mesh }, row) {
    if (!boundToMesh(row.spec)) return;
    for (const [at, host] of row.spec.hosts.entries()) {
      const full = fullHost(host, row.meta.namespace, mesh.domain);
      const keys = read.members(mesh.indexes.meshRoutesByHost, full);
      const older = rowsOf(read, mesh.tables.virtualServices, keys)
        .filter((other) => byAge(other, row) < 0 && shareReaders(other, row))
        .sort(byAge);
      if (older.length === 0) continue;
      const names = [...older, row].map(({ meta }) => objectKey(meta)).join(", ");
      yield { code: "MSH0109", args: [names, host], path: `spec.hosts[${at}]` };
    }
  },
};

/** True when a namespace sees both. */
function shareReaders(a: ConfigObject<VirtualService>, b: ConfigObject<VirtualService>): boolean {
  const [one, two] = [a, b].map(({ spec, meta }): Visibility =>
    visibilityOf(spec.exportTo, meta.namespace)
  );
  if (one === "public") return two === "public" || two!.length > 0;
  return two === "public" ? one!.length > 0 : one!.some((namespace) => two!.includes(namespace));
}
