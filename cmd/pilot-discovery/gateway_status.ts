/**
 * The status of objects of the Gateway API, as the mesh derives it.
 *
 * @module
 */
import {
  DEFAULTS_LABEL,
  type FollowedStatus,
  type GatewayApiName,
  NO_STATUS,
  PILOT_ENABLE_GATEWAY_API_STATUS,
  runGatewayStatus,
  statusPace,
  type Term,
} from "../../lib/cluster/controllers/mod.ts";
import { type ResourceType, types } from "../../lib/kit/orch/mod.ts";
import { deriveGatewayApiStatus, type GatewayApiStatus } from "../../lib/mesh/derive/mod.ts";
import { PILOT_GATEWAY_API_CONTROLLER_NAME } from "../../lib/mesh/environment/mod.ts";
import {
  isGatewayGroup,
  isRouteKind,
  VERSIONED_DEFINITION,
} from "../../lib/mesh/gateway_api/mod.ts";
import { type Kind, KINDS } from "../../lib/mesh/schema/mod.ts";
import {
  furtherVersions,
  PILOT_ENABLE_GATEWAY_API,
  resourceTypeOf,
} from "../../lib/mesh/sources/mod.ts";
import { ClassStatus } from "./class_status.ts";
import type { Engine } from "./engine.ts";

/** Longest time until a change of the mesh is noticed, in milliseconds. */
const EVERY_MS = 250;

/** Kinds without a status. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set(["ReferenceGrant"]);

/** The parts of the daemon that the controller needs. */
export interface GatewayStatusInput {
  readonly engine: Engine;
  /** The namespace with the defaults of classes. */
  readonly rootNamespace: () => string;
}

/** The controller with the name of its lease. */
export function gatewayStatusControllers(
  { engine: { graph, pipeline }, rootNamespace }: GatewayStatusInput,
): { readonly name: string; readonly run: (term: Term) => Promise<void> }[] {
  if (!PILOT_ENABLE_GATEWAY_API.get() || !PILOT_ENABLE_GATEWAY_API_STATUS.get()) return [];
  const tables = deriveGatewayApiStatus(pipeline.mesh);
  const kinds = KINDS.filter(({ group, kind }) =>
    isGatewayGroup(group) && !WITHOUT_STATUS.has(kind)
  );
  const followed = new Map(kinds.map((kind) => [resourceTypeOf(kind), kind] as const));
  const classes = new ClassStatus();
  return [{
    name: "mesh-gateway-status-leader",
    run: (term) =>
      runGatewayStatus(term, {
        types: [...followed.keys()],
        versionsOf: (type: ResourceType) => furtherVersions(followed.get(type) as Kind),
        controllerName: PILOT_GATEWAY_API_CONTROLLER_NAME.get(),
        follow: (kind, key, changed) => {
          const found = followStatus({ graph, tables }, kind, { key, changed });
          return kind === "GatewayClass" ? classes.followed(key.name, found) : found;
        },
        everyMs: EVERY_MS,
        beside: [{
          type: types.CUSTOM_RESOURCE_DEFINITION,
          selection: { fieldSelector: `metadata.name=${VERSIONED_DEFINITION}` },
          seen: ([definition]) => classes.seeDefinition(definition),
        }, {
          type: types.CONFIG_MAP,
          selection: { namespace: rootNamespace(), labelSelector: DEFAULTS_LABEL },
          seen: (items) => classes.seeDefaults(items),
        }],
        pace: statusPace(),
      }),
  }];
}

/** Follows the status of an object by its kind in the API. */
function followStatus(
  { graph, tables }: { readonly graph: Engine["graph"]; readonly tables: GatewayApiStatus },
  kind: string,
  { key, changed }: { readonly key: GatewayApiName; readonly changed: () => void },
): FollowedStatus {
  if (isRouteKind(kind)) return graph.tap(tables.routes, { kind, ...key }, changed);
  switch (kind) {
    case "GatewayClass":
      return graph.tap(tables.classes, key.name, changed);
    case "Gateway":
      return graph.tap(tables.gateways, key, changed);
    case "ListenerSet":
      return graph.tap(tables.listenerSets, key, changed);
    case "BackendTLSPolicy":
      return graph.tap(tables.policies, key, changed);
    case "XBackend":
      return graph.tap(tables.backends, key, changed);
    case "XMesh":
      return graph.tap(tables.meshes, key.name, changed);
    case "XBackendTrafficPolicy":
      return graph.tap(tables.trafficPolicies, key, changed);
    default:
      return NO_STATUS;
  }
}
