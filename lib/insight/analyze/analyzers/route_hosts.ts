/**
 * Hosts that several VirtualServices of the mesh gateway define.
 *
 * @module
 */
import {
  byAge,
  type ConfigObject,
  coveringPatterns,
  fullHost,
  isWildcard,
  objectKey,
  type Visibility,
} from "../../../mesh/model/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { boundToMesh, visibilityOf } from "../../../mesh/derive/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";

/** A host for which another VirtualService has rules too; the oldest decides. */
export const ROUTE_HOSTS: Analyzer<"VirtualService"> = {
  name: "virtualservice.ConflictingMeshGatewayHostsAnalyzer",
  kinds: ["VirtualService"],
  codes: ["MSH0109"],
  *analyze(context, row) {
    if (!boundToMesh(row.spec)) return;
    const own = scopeOf(row);
    for (const [at, host] of row.spec.hosts.entries()) {
      const full = fullHost(host, row.meta.namespace, context.mesh.domain);
      const others = rowsMatching(context, full).filter((other) =>
        other.meta !== row.meta && meet(own, scopeOf(other), hasHost(context, other, full))
      );
      if (others.length === 0) continue;
      const names = [...others, row].sort(byAge).map(({ meta }) => objectKey(meta)).join(", ");
      return yield { code: "MSH0109", args: [names, host], path: `spec.hosts[${at}]` };
    }
  },
};

/** The namespaces whose clients use a VirtualService. */
function scopeOf({ spec, meta }: ConfigObject<VirtualService>): Visibility {
  return visibilityOf(spec.exportTo, meta.namespace);
}

/**
 * True when two VirtualServices with hosts that match meet in a namespace. Those that all namespaces
 * see, and those of one namespace, meet for equal hosts alone: of a pattern and a name the name
 * decides. One that all see meets one of few namespaces for patterns too.
 */
function meet(a: Visibility, b: Visibility, isEqual: boolean): boolean {
  if (a === "public" && b === "public") return isEqual;
  if (a === "public" || b === "public") return a.length > 0 && b.length > 0;
  return isEqual && a.some((namespace) => b.includes(namespace));
}

/** VirtualServices of the mesh with a host that matches: equal, or one covers the other. */
function rowsMatching(
  { read, mesh, indexes }: Context,
  host: string,
): ConfigObject<VirtualService>[] {
  const { meshRoutesByHost } = mesh.indexes;
  const keys = new Set([
    ...[host, ...coveringPatterns(host)].flatMap((one) => read.members(meshRoutesByHost, one)),
    ...(isWildcard(host) ? read.members(indexes.routesByPattern, host) : []),
  ]);
  return rowsOf(read, mesh.tables.virtualServices, [...keys]);
}

function hasHost(
  { mesh }: Context,
  { meta, spec }: ConfigObject<VirtualService>,
  host: string,
): boolean {
  return spec.hosts.some((one) => fullHost(one, meta.namespace, mesh.domain) === host);
}
