/**
 * The status of the objects of the Gateway API: derived tables.
 *
 * @module
 */
import { type Derived, type Read, rowRef, text } from "../../graph/mod.ts";
import { type ObjectKey, objectKey, objectKeys } from "../../model/mod.ts";
import {
  type AttachedCounts,
  attachedFrom,
  type AttachedRoutes,
  backendStatus,
  bindAddresses,
  type BoundGateway,
  type BoundParent,
  classParametersFault,
  countAttached,
  type FrontService,
  type Gateway,
  GATEWAY_CONTROLLER,
  type GatewayClassStatus,
  gatewayClassStatus,
  gatewayOfSet,
  type GatewayStatus,
  gatewayStatus,
  isDefaultGateway,
  isDeployed,
  type ListenerSetStatus,
  listenerSetStatus,
  meshStatus,
  parametersFault,
  type ParentReference,
  type PolicyStatus,
  policyStatus,
  referenced,
  referenceFault,
  remoteGatewayStatus,
  roleOfController,
  ROUTE_KINDS,
  routeFaults,
  type RouteStatus,
  routeStatus,
  statedAddresses,
  trafficPolicyStatus,
  WAYPOINT_CONTROLLER,
} from "../../gateway_api/mod.ts";
import type { Policies } from "../destination_rules/mod.ts";
import type { GatewayApi } from "./bindings.ts";
import { DEFAULT_GATEWAYS, type ParentKey, shareKeys } from "./indexes.ts";
import { backendLookups, frontOf, parametersLookup } from "./lookups.ts";
import { precededTargets } from "./preceding_rules.ts";
import { type RouteKey, routeKeys } from "./tables.ts";

/** The derived tables of status; undefined: Mesh does not handle the object. */
export interface GatewayApiStatus {
  /** By name of the class. */
  readonly classes: Derived<GatewayClassStatus | undefined>;
  readonly gateways: Derived<GatewayStatus | undefined, ObjectKey>;
  readonly listenerSets: Derived<ListenerSetStatus | undefined, ObjectKey>;
  readonly routes: Derived<RouteStatus | undefined, RouteKey>;
  readonly policies: Derived<PolicyStatus | undefined, ObjectKey>;
  readonly trafficPolicies: Derived<PolicyStatus | undefined, ObjectKey>;
  readonly backends: Derived<RouteStatus | undefined, ObjectKey>;
  /** By name of the XMesh. */
  readonly meshes: Derived<GatewayClassStatus | undefined>;
}

/** Annotation of a Gateway with the type of the Service in front of its proxies. */
const SERVICE_TYPE = "networking.mesh.io/service-type";
/** Creates the tables. */
export function deriveGatewayApiStatus(
  { gatewayApi: api, policies }: { readonly gatewayApi: GatewayApi; readonly policies: Policies },
): GatewayApiStatus {
  const { mesh: { graph }, options: { names, experimental } } = api;
  const controllerName = names?.controller ?? GATEWAY_CONTROLLER;
  const attachedIn = attachedTables(api);
  return {
    classes: graph.derive("gatewayApi.status.class", text, (read, name) => {
      const row = read.get(api.api.gatewayClasses, objectKey({ namespace: "", name }));
      const role = row && roleOfController(row.spec.controllerName, names);
      if (row === undefined || role === undefined) return undefined;
      const fault = classParametersFault(row.spec, parametersLookup(read, api));
      return gatewayClassStatus(row.meta.generation, role === "gateway", fault);
    }),
    gateways: graph.derive("gatewayApi.status.gateway", objectKeys, (read, key) => {
      const row = read.get(api.api.gateways, objectKey(key));
      const bound = read.get(api.bound.gateways, key);
      return row && bound && statusOfGateway(read, api, { row, bound, attachedIn });
    }),
    listenerSets: graph.derive("gatewayApi.status.listenerSet", objectKeys, (read, key) => {
      const row = read.get(api.api.listenerSets, objectKey(key));
      const gateway = row && gatewayOfSet(row);
      const bound = gateway && read.get(api.bound.gateways, gateway);
      const parents: ParentKey[] = [{ kind: "ListenerSet", ...key }];
      return bound && listenerSetStatus(key, bound, attachedIn(read, parents));
    }),
    routes: graph.derive("gatewayApi.status.route", routeKeys, (read, key) => {
      const row = read.get(api.api.routes[key.kind], objectKey(key));
      if (row === undefined) return undefined;
      const parents = read.get(api.bound.routes, key);
      const unresolved = parents.length === 0
        ? undefined
        : referenceFault(row, backendLookups(read, api));
      const { generation } = row.meta;
      return routeStatus(parents, {
        generation,
        controllerName,
        ...(unresolved && { unresolved }),
        ...routeFaults(row, experimental),
      });
    }),
    policies: graph.derive("gatewayApi.status.policy", objectKeys, (read, key) => {
      const row = read.get(api.api.backendTlsPolicies, objectKey(key));
      const bound = read.get(api.bound.policies, key);
      if (row === undefined || bound === undefined) return undefined;
      const targets = (row.spec.targetRefs ?? [])
        .map(({ name }) => ({ namespace: key.namespace, name }));
      const ancestors = gatewaysBehind(read, api, targets)
        .map(({ namespace, name }) => ({ ...GATEWAY_REF, namespace, name }));
      const effective = precededTargets(read, api, policies, { namespace: key.namespace, bound });
      const { generation } = row.meta;
      return policyStatus({ ...bound, targets: effective }, {
        generation,
        controllerName,
        ancestors,
      });
    }),
    trafficPolicies: graph.derive("gatewayApi.status.trafficPolicy", objectKeys, (read, key) => {
      const row = read.get(api.api.backendTrafficPolicies, objectKey(key));
      const bound = read.get(api.bound.trafficPolicies, key);
      if (row === undefined || bound === undefined) return undefined;
      const { generation } = row.meta;
      const targets = precededTargets(read, api, policies, { namespace: key.namespace, bound });
      return trafficPolicyStatus({ targets }, { generation, controllerName });
    }),
    backends: graph.derive("gatewayApi.status.backend", objectKeys, (read, key) => {
      const row = read.get(api.api.backends, objectKey(key));
      const bound = read.get(api.bound.backends, key);
      if (row === undefined || bound === undefined) return undefined;
      const { generation } = row.meta;
      return backendStatus(bound, {
        generation,
        controllerName,
        parents: parentsBehind(read, api, key),
      });
    }),
    meshes: graph.derive("gatewayApi.status.mesh", text, (read, name) => {
      const row = read.get(api.api.meshes, objectKey({ namespace: "", name }));
      if (row === undefined || !experimental) return undefined;
      const isOwn = [controllerName, WAYPOINT_CONTROLLER].includes(row.spec.controllerName);
      return isOwn ? meshStatus(row.meta.generation, row.spec) : undefined;
    }),
  };
}

const GATEWAY_REF = { group: "gateway.networking.k8s.io", kind: "Gateway" };

type AttachedIn = (read: Read, parents: readonly ParentKey[]) => AttachedRoutes;

/**
 * Counts attached routes in shares by namespace, so that a changed route recounts those of its
 * namespace alone.
 */
function attachedTables(api: GatewayApi): AttachedIn {
  const { mesh: { graph }, indexes, bound } = api;
  const share = graph.derive(
    "gatewayApi.attached",
    shareKeys,
    (read, key): AttachedCounts => {
      const keys = ROUTE_KINDS.flatMap((kind) => read.members(indexes.routes[kind].byParent, key));
      const isCounted = ({ byDefault }: BoundParent) =>
        (byDefault === true) === (key.parent.namespace === DEFAULT_GATEWAYS.namespace);
      return countAttached(keys.map((key) => read.get(bound.routes, key).filter(isCounted)));
    },
  );
  return (read, parents) => {
    const shares = parents.flatMap((parent) => {
      const namespaces = new Set(
        ROUTE_KINDS.flatMap((kind) => read.members(indexes.routes[kind].namespaces, parent)),
      );
      return [...namespaces].map((namespace) => read.get(share, { parent, namespace }));
    });
    return attachedFrom(shares);
  };
}

interface GatewayParts {
  readonly row: Gateway;
  readonly bound: BoundGateway;
  readonly attachedIn: AttachedIn;
}

function statusOfGateway(
  read: Read,
  api: GatewayApi,
  { row, bound, attachedIn }: GatewayParts,
): GatewayStatus {
  if (bound.role === "remote") return remoteGatewayStatus(bound, statedAddresses(row.spec));
  const { namespace, name, className } = bound;
  const { annotations } = row.meta;
  const deployed = isDeployed(row.spec);
  const type = annotations[SERVICE_TYPE] ?? (bound.role === "waypoint" ? "ClusterIP" : undefined);
  const front = (host: string): FrontService | undefined => {
    const found = frontOf(read, api, { host, namespace, isDeployed: deployed });
    return found && { ...found, ...(deployed && type !== undefined ? { type } : {}) };
  };
  const addresses = bindAddresses(row, { className, domain: api.mesh.domain }, { front });
  const aliased = annotations["gateway.mesh.io/alias-for"];
  const parents: ParentKey[] = [
    { kind: "Gateway", namespace, name },
    ...isDefaultGateway(row.spec) && api.options.experimental ? [DEFAULT_GATEWAYS] : [],
    ...aliased === undefined ? [] : [{ kind: "Gateway" as const, namespace, name: aliased }],
  ];
  const of = read.get(api.api.gatewayClasses, objectKey({ namespace: "", name: className }));
  const parameters = parametersFault(row.spec, namespace, of?.spec, parametersLookup(read, api));
  return gatewayStatus(bound, {
    addresses,
    attached: attachedIn(read, parents),
    ...(parameters === undefined ? {} : { parameters }),
  });
}

/** The Gateways and the Services of the mesh with routes to an XBackend, sorted. */
function parentsBehind(
  read: Read,
  { indexes, bound }: GatewayApi,
  backend: ObjectKey,
): ParentReference[] {
  const routes = ROUTE_KINDS.flatMap((kind) =>
    read.members(indexes.routes[kind].byApiBackend, backend)
  );
  const found = new Map<string, ParentReference>();
  for (const { namespace, ...key } of routes) {
    for (const { ref, attachments, services } of read.get(bound.routes, { namespace, ...key })) {
      for (const { gateway } of attachments) {
        found.set(rowRef({ table: "Gateway", key: objectKey(gateway) }), {
          ...GATEWAY_REF,
          ...gateway,
        });
      }
      if (services === undefined) continue;
      const { group = "", kind = "Service" } = ref;
      const parent = { group, kind, ...referenced(ref, namespace) };
      found.set(rowRef({ table: kind, key: objectKey(parent) }), parent);
    }
  }
  return [...found].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, parent]) => parent);
}

/** The Gateways with routes to Services, sorted. */
function gatewaysBehind(
  read: Read,
  { indexes, bound }: GatewayApi,
  services: readonly ObjectKey[],
): ObjectKey[] {
  const routes = services.flatMap((service) =>
    ROUTE_KINDS.flatMap((kind) => read.members(indexes.routes[kind].byBackend, service))
  );
  const gateways = routes.flatMap((key) => read.get(bound.routes, key))
    .flatMap(({ attachments }) => attachments.map(({ gateway }) => objectKeys.encode(gateway)));
  return [...new Set(gateways)].toSorted().map((key) => objectKeys.decode(key));
}
