/**
 * Parts of routes that become one VirtualService, and its name.
 *
 * @module
 */
import {
  type VirtualService,
  VirtualServiceSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { apiRuleOf, type ConfigObject } from "../../model/mod.ts";
import { compareMatches } from "./http_matches.ts";
import type { ConvertedRoute, RoutePart } from "./routes.ts";
import { GENERATED, generatedRow, PARENTS_ANNOTATION, ROUTE_SEMANTICS } from "./rows.ts";

/** Names of VirtualServices of connections have the kind of their route. */
const SUFFIXES: Readonly<Record<string, string>> = {
  TLSRoute: "-tls",
  TCPRoute: "-tcp",
  UDPRoute: "-udp",
};

/** The order of routes: the oldest first, then by namespace and name. */
export function byRoutePrecedence(
  { meta: a }: Pick<ConvertedRoute, "meta">,
  { meta: b }: Pick<ConvertedRoute, "meta">,
): number {
  const age = (a.creationTime || Infinity) - (b.creationTime || Infinity);
  if (age !== 0 && !Number.isNaN(age)) return age;
  return order(a.namespace, b.namespace) || order(a.name, b.name) || order(a.kind, b.kind);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The VirtualService of a group.
 *
 * @param routes with a part of the group, in order of precedence; the first one names it
 * @param index place of the group among those of which the first route is the first
 */
export function mergeRoutes(
  group: string,
  routes: readonly ConvertedRoute[],
  index: number,
): ConfigObject<VirtualService> | undefined {
  const parts = routes.flatMap((one) => one.parts.filter((part) => part.group === group));
  const [first] = routes;
  const [part] = parts;
  if (first === undefined || part === undefined) return undefined;
  const { kind, namespace, name } = first.meta;
  const spec = create(VirtualServiceSchema, {
    hosts: [part.host],
    gateways: [part.gateway],
    http: parts.flatMap(({ http }) => http)
      .toSorted((a, b) => compareMatches(a.match[0], b.match[0])),
    tls: parts.flatMap(({ tls }) => tls),
    tcp: parts.flatMap(({ tcp }) => tcp),
  });
  const row = generatedRow(VirtualServiceSchema, spec, {
    kind: "VirtualService",
    namespace,
    name: `${name}${SUFFIXES[kind] ?? ""}-${index}-${GENERATED}`,
    annotations: {
      [PARENTS_ANNOTATION]: routes.map(({ meta }) => `${meta.kind}/${meta.name}.${meta.namespace}`)
        .join(","),
      [ROUTE_SEMANTICS]: "gateway",
    },
    from: first.meta,
    facts: spec.http.map((rule) => JSON.stringify(apiRuleOf(rule) ?? null)),
  });
  return part.consumer === undefined ? row : { ...row, consumer: true };
}

/** The place of a group among those of which a route is the first; see `mergeRoutes`. */
export function groupIndex(
  { parts }: { readonly parts: readonly Pick<RoutePart, "group">[] },
  group: string,
  isFirst: (group: string) => boolean,
): number {
  const at = parts.findIndex((part) => part.group === group);
  return parts.slice(0, at).filter((part) => isFirst(part.group)).length;
}

/** The VirtualServices of some routes. */
export function mergeAll(routes: readonly ConvertedRoute[]): ConfigObject<VirtualService>[] {
  const sorted = routes.toSorted(byRoutePrecedence);
  const groups = Map.groupBy(
    sorted.flatMap((route) => route.parts.map(({ group }) => ({ group, route }))),
    ({ group }) => group,
  );
  return [...groups].flatMap(([group, members]) => {
    const [first] = members;
    const isFirst = (other: string) => groups.get(other)?.[0]?.route === first?.route;
    const index = first === undefined ? 0 : groupIndex(first.route, group, isFirst);
    return mergeRoutes(group, members.map(({ route }) => route), index) ?? [];
  });
}
