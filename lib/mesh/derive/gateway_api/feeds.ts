/**
 * Rows of Gateways, VirtualServices and DestinationRules that come from objects of the Gateway API.
 *
 * @module
 */
import {
  type Derived,
  type Index,
  type Input,
  type KeyCodec,
  keyOf,
  oneOf,
  type Read,
  text,
} from "../../graph/mod.ts";
import { type ConfigObject, type ObjectKey, objectKey, objectKeys } from "../../model/mod.ts";
import {
  backendEntry,
  backendRule,
  byRoutePrecedence,
  type ConvertedRoute,
  convertGateway,
  convertPolicies,
  convertRoute,
  groupIndex,
  mergeRoutes,
  ROUTE_KINDS,
} from "../../gateway_api/mod.ts";
import type { XBackend } from "#mesh/gateway/v1/backend_pb.ts";
import type { BackendTLSPolicy } from "#mesh/gateway/v1/backend_tls_policy_pb.ts";
import type { XBackendTrafficPolicy } from "#mesh/gateway/v1/backend_traffic_policy_pb.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { GatewayApi } from "./bindings.ts";
import { backendLookups, gatewayLookups } from "./lookups.ts";
import { type RouteKey, routeKeys } from "./tables.ts";

/** Creates the tables, and lets their rows flow into those of the mesh. */
export function feedGatewayApi(api: GatewayApi): Input<ConvertedRoute, RouteKey> {
  feedGateways(api);
  const converted = feedRoutes(api);
  feedVirtualServices(api, converted);
  feedRules(api);
  feedBackends(api);
  return converted;
}

/** One cell for each Gateway. */
function feedGateways(api: GatewayApi): void {
  const { mesh: { graph, tables, domain }, bound } = api;
  const namespaces = graph.index(
    tables.namespaces,
    "Namespace.all",
    { bucket: text, member: text },
    ({ meta }) => [["all", meta.name]],
  );
  const rows = graph.derive("gatewayApi.convertedGateway", objectKeys, (read, key) => {
    const row = read.get(api.api.gateways, objectKey(key));
    const found = read.get(bound.gateways, key);
    if (row === undefined || found === undefined) return byKey([]);
    const look = {
      ...gatewayLookups(read, api),
      namespaces: () => read.members(namespaces, "all"),
    };
    return byKey(convertGateway(row, found, domain, look));
  });
  const groups = graph.index(
    api.api.gateways,
    "GatewayApi.gateways",
    { bucket: text, member: objectKeys },
    ({ meta: { namespace, name } }) => [["all", { namespace, name }]],
  );
  graph.feed(tables.gateways, { name: "gatewayApi.gateways", groups, rows });
}

function byKey<T>(rows: readonly ConfigObject<T>[]): ReadonlyMap<string, ConfigObject<T>> {
  return new Map(rows.map((row) => [objectKey(row.meta), row]));
}

/** One cell for each route: its parts. */
function feedRoutes(api: GatewayApi): Input<ConvertedRoute, RouteKey> {
  const { mesh: { graph, domain }, bound, options: { experimental } } = api;
  const converted = graph.input<ConvertedRoute, RouteKey>("ConvertedRoute", { key: routeKeys });
  const rows = graph.derive("gatewayApi.convertedRoute", routeKeys, (read, key) => {
    const row = read.get(api.api.routes[key.kind], objectKey(key));
    const parents = read.get(bound.routes, key);
    if (row === undefined || parents.length === 0) return new Map<RouteKey, ConvertedRoute>();
    const context = { domain, look: backendLookups(read, api), experimental };
    const route = convertRoute(row, parents, context);
    return new Map([[key, route]]);
  });
  for (const kind of ROUTE_KINDS) {
    const groups = graph.index(
      api.api.routes[kind],
      `GatewayApi.${kind}`,
      { bucket: text, member: routeKeys },
      ({ meta: { namespace, name } }) => [["all", { kind, namespace, name }]],
    );
    graph.feed(converted, { name: `gatewayApi.${kind}`, groups, rows });
  }
  return converted;
}

/** A route among those of a group, with its age first. */
interface GroupMember extends RouteKey {
  readonly age: string;
}

const groupMembers: KeyCodec<GroupMember> = keyOf<GroupMember>({
  age: text,
  namespace: text,
  name: text,
  kind: oneOf(...ROUTE_KINDS),
});

/** One cell for each group of parts that become one VirtualService. */
function feedVirtualServices(api: GatewayApi, converted: Input<ConvertedRoute, RouteKey>): void {
  const { mesh: { graph, tables } } = api;
  const groups = graph.index(
    converted,
    "ConvertedRoute.groups",
    { bucket: text, member: text },
    ({ parts }) => parts.map(({ group }) => ["all", group] as const),
  );
  const members = graph.index(
    converted,
    "ConvertedRoute.group",
    { bucket: text, member: groupMembers },
    ({ meta: { namespace, name, creationTime }, parts }, { kind }) => {
      const age = String(creationTime || Number.MAX_SAFE_INTEGER).padStart(16, "0");
      return parts.map(({ group }) => [group, { age, namespace, name, kind }] as const);
    },
  );
  const rowsOf = mergeCells(api, converted, members);
  graph.feed(tables.virtualServices, { name: "gatewayApi.virtualServices", groups, rows: rowsOf });
}

function mergeCells(
  { mesh: { graph } }: GatewayApi,
  converted: Input<ConvertedRoute, RouteKey>,
  members: Index<string, GroupMember>,
): Derived<ReadonlyMap<string, ConfigObject<VirtualService>>> {
  const ordered = (read: Read, group: string): readonly GroupMember[] =>
    read.members(members, group).toSorted((a, b) =>
      byRoutePrecedence({ meta: metaOf(a) }, { meta: metaOf(b) })
    );
  const first = graph.derive("gatewayApi.first", text, (read, group): string => {
    const [found] = ordered(read, group);
    return found === undefined ? "" : routeKeys.encode(found);
  });
  const place = graph.derive("gatewayApi.place", text, (read, group): number => {
    const own = read.get(first, group);
    const route = own === "" ? undefined : read.get(converted, routeKeys.decode(own));
    return route === undefined
      ? 0
      : groupIndex(route, group, (other) => read.get(first, other) === own);
  });
  return graph.derive("gatewayApi.virtualService", text, (read, group) => {
    const routes = ordered(read, group).map((key) => read.get(converted, key))
      .filter((route) => route !== undefined);
    const row = mergeRoutes(group, routes, read.get(place, group));
    return byKey(row === undefined ? [] : [row]);
  });
}

function metaOf({ age, kind, namespace, name }: GroupMember): ConvertedRoute["meta"] {
  return { creationTime: Number(age), kind, namespace, name, origin: { source: "file" } };
}

/** One cell for each Service that a policy targets. */
function feedRules(api: GatewayApi): void {
  const { mesh: { graph, tables, domain }, bound, indexes, services } = api;
  const rows = graph.derive("gatewayApi.rule", objectKeys, (read, key: ObjectKey) => {
    const { namespace, name } = key;
    const host = `${name}.${namespace}.svc.${domain}`;
    const service = read.get(services.service, { namespace, host });
    const policies = read.members(indexes.policies, key).flatMap((policy) => {
      const row = read.get(api.api.backendTlsPolicies, objectKey(policy));
      const found = read.get(bound.policies, policy);
      if (row === undefined || found === undefined) return [];
      return [{ policy: row as ConfigObject<BackendTLSPolicy>, bound: found }];
    });
    const traffic = read.members(indexes.trafficPolicies, key).flatMap((policy) => {
      const row = read.get(api.api.backendTrafficPolicies, objectKey(policy));
      const found = read.get(bound.trafficPolicies, policy);
      if (row === undefined || found === undefined) return [];
      return [{ policy: row as ConfigObject<XBackendTrafficPolicy>, bound: found }];
    });
    const target = service && { ...key, host, ports: service.ports };
    const rule = target && convertPolicies(target, policies, traffic);
    return byKey(rule === undefined ? [] : [rule]);
  });
  const groups = graph.index(
    policyTargets(api),
    "GatewayApi.targets",
    { bucket: text, member: objectKeys },
    (targets) => targets.map((target) => ["all", target] as const),
  );
  graph.feed(tables.destinationRules, { name: "gatewayApi.rules", groups, rows });
}

/** One cell for each XBackend: its service, and the TLS to it. */
function feedBackends({ mesh: { graph, tables }, api, bound }: GatewayApi): void {
  const groups = graph.index(
    api.backends,
    "GatewayApi.backends",
    { bucket: text, member: objectKeys },
    ({ meta: { namespace, name } }) => [["all", { namespace, name }]],
  );
  const found = (read: Read, key: ObjectKey) => {
    const row = read.get(api.backends, objectKey(key));
    const own = read.get(bound.backends, key);
    if (row === undefined || own === undefined) return undefined;
    return { row: row as ConfigObject<XBackend>, own };
  };
  const entries = graph.derive("gatewayApi.backendEntry", objectKeys, (read, key) => {
    const backend = found(read, key);
    return byKey(backend === undefined ? [] : [backendEntry(backend.row)]);
  });
  graph.feed(tables.serviceEntries, { name: "gatewayApi.backends", groups, rows: entries });
  const rules = graph.derive("gatewayApi.backendRule", objectKeys, (read, key) => {
    const backend = found(read, key);
    const rule = backend && backendRule(backend.row, backend.own);
    return byKey(rule === undefined ? [] : [rule]);
  });
  graph.feed(tables.destinationRules, { name: "gatewayApi.backendRules", groups, rows: rules });
}

/** The Services that policies of all kinds target, by kind and name of the policy. */
function policyTargets({ mesh: { graph }, api }: GatewayApi): Input<readonly ObjectKey[]> {
  const targets = graph.input<readonly ObjectKey[]>("GatewayApi.policyTarget");
  for (
    const [kind, table] of [
      ["BackendTLSPolicy", api.backendTlsPolicies],
      ["XBackendTrafficPolicy", api.backendTrafficPolicies],
    ] as const
  ) {
    const groups = graph.index(
      table as Input<TargetingPolicy>,
      `GatewayApi.${kind}`,
      { bucket: text, member: objectKeys },
      ({ meta: { namespace, name } }) => [["all", { namespace, name }]],
    );
    const rows = graph.derive(`gatewayApi.targets.${kind}`, objectKeys, (read, key) => {
      const row = read.get(table as Input<TargetingPolicy>, objectKey(key));
      const { namespace } = key;
      const all = (row?.spec.targetRefs ?? []).map(({ name }): ObjectKey => ({ namespace, name }));
      return new Map([[`${kind}/${objectKey(key)}`, all]]);
    });
    graph.feed(targets, { name: `gatewayApi.targets.${kind}`, groups, rows });
  }
  return targets;
}

/** A policy of any kind. */
type TargetingPolicy = ConfigObject<{ readonly targetRefs?: readonly { readonly name: string }[] }>;
