/**
 * VirtualServices of the mesh that come from routes of the Gateway API: routes of several kinds and for
 * several ports apply to one Service, each in a VirtualService of its own.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { byAge, type ConfigObject, fullHost } from "../../model/mod.ts";
import type { HTTPRoute, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { compareMatches, isConverted } from "../../gateway_api/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { boundToMesh } from "../inputs/mod.ts";

type Row = ConfigObject<VirtualService>;

/** The rules of a VirtualService and of those beside it for its host; its own unless it was converted. */
export function joinedRules(
  read: Read,
  { tables, indexes, domain }: MeshInputs,
  row: Row,
): VirtualService {
  const { meta: { namespace }, spec } = row;
  const [host] = spec.hosts;
  if (!isConverted(row.meta) || !boundToMesh(spec) || host === undefined) return spec;
  const isBeside = (other: Row | undefined): other is Row =>
    other !== undefined && isConverted(other.meta) && other.meta.namespace === namespace &&
    other.consumer === row.consumer;
  const rows = read.members(indexes.meshRoutesByHost, fullHost(host, namespace, domain))
    .map((key) => read.get(tables.virtualServices, key)).filter(isBeside).sort(byAge);
  if (rows.length < 2) return spec;
  return {
    ...spec,
    http: rows.flatMap((one) => one.spec.http).toSorted(byPrecedence),
    tls: rows.flatMap((one) => one.spec.tls),
    tcp: rows.flatMap((one) => one.spec.tcp).toSorted((a, b) => portsOf(b) - portsOf(a)),
  };
}

/** Rules for one port precede those for all ports. */
function byPrecedence(a: HTTPRoute, b: HTTPRoute): number {
  return portsOf(b) - portsOf(a) || compareMatches(a.match[0], b.match[0]);
}

/** 1 for a rule for one port, 0 for one for all. */
function portsOf({ match }: { readonly match: readonly { readonly port: number }[] }): number {
  return match.length > 0 && match.every(({ port }) => port !== 0) ? 1 : 0;
}
