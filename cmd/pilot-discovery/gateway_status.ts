/**
 * The status of objects of the Gateway API, as the mesh derives it.
 *
 * @module
 */
import {
  type GatewayApiName,
  type GatewayApiObjectStatus,
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
  VERSION_ANNOTATION,
  versionCondition,
  VERSIONED_DEFINITION,
} from "../../lib/mesh/gateway_api/mod.ts";
import { type Kind, KINDS } from "../../lib/mesh/schema/mod.ts";
import {
  furtherVersions,
  PILOT_ENABLE_GATEWAY_API,
  resourceTypeOf,
} from "../../lib/mesh/sources/mod.ts";
import type { Engine } from "./engine.ts";

/** Longest time until a change of the mesh is noticed, in milliseconds. */
const EVERY_MS = 250;

/** Kinds without a status. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set(["ReferenceGrant"]);

/** The controller with the name of its lease. */
export function gatewayStatusControllers(
  { graph, pipeline }: Engine,
): { readonly name: string; readonly run: (term: Term) => Promise<void> }[] {
  if (!PILOT_ENABLE_GATEWAY_API.get() || !PILOT_ENABLE_GATEWAY_API_STATUS.get()) return [];
  const tables = deriveGatewayApiStatus(pipeline.mesh);
  const kinds = KINDS.filter(({ group, kind }) =>
    isGatewayGroup(group) && !WITHOUT_STATUS.has(kind)
  );
  const followed = new Map(kinds.map((kind) => [resourceTypeOf(kind), kind] as const));
  const bundle = new Bundle();
  return [{
    name: "mesh-gateway-status-leader",
    run: (term) =>
      runGatewayStatus(term, {
        types: [...followed.keys()],
        versionsOf: (type: ResourceType) => furtherVersions(followed.get(type) as Kind),
        controllerName: PILOT_GATEWAY_API_CONTROLLER_NAME.get(),
        statusOf: (kind, name) => {
          const status = statusOf({ graph, tables }, kind, name);
          return kind === "GatewayClass" ? status && bundle.statusOf(status) : status;
        },
        revision: () => graph.revision,
        everyMs: EVERY_MS,
        beside: {
          type: types.CUSTOM_RESOURCE_DEFINITION,
          name: VERSIONED_DEFINITION,
          seen: (annotations) => bundle.see(annotations),
        },
        pace: statusPace(),
      }),
  }];
}

/** The status of an object by its kind in the API; undefined: Mesh does not handle it. */
function statusOf(
  { graph, tables }: { readonly graph: Engine["graph"]; readonly tables: GatewayApiStatus },
  kind: string,
  key: GatewayApiName,
): GatewayApiObjectStatus | undefined {
  if (isRouteKind(kind)) return graph.peek(tables.routes, { kind, ...key });
  switch (kind) {
    case "GatewayClass":
      return graph.peek(tables.classes, key.name);
    case "Gateway":
      return graph.peek(tables.gateways, key);
    case "ListenerSet":
      return graph.peek(tables.listenerSets, key);
    case "BackendTLSPolicy":
      return graph.peek(tables.policies, key);
    case "XBackendTrafficPolicy":
      return graph.peek(tables.trafficPolicies, key);
    default:
      return undefined;
  }
}

/** The version of the definitions, in the status of classes. */
class Bundle {
  /** The same status as long as neither it nor the version has changed. */
  #known = new WeakMap<GatewayApiObjectStatus, GatewayApiObjectStatus>();
  #seen: { readonly version: string | undefined } | undefined;

  /** @param annotations of the definition; undefined: it is not known */
  see(annotations: Readonly<Record<string, string>> | undefined): void {
    const found = annotations && { version: annotations[VERSION_ANNOTATION] };
    if (
      found?.version === this.#seen?.version && (found === undefined) === (this.#seen === undefined)
    ) {
      return;
    }
    this.#seen = found;
    this.#known = new WeakMap();
  }

  statusOf(status: GatewayApiObjectStatus): GatewayApiObjectStatus {
    if (this.#seen === undefined) return status;
    const found = this.#known.get(status);
    if (found !== undefined) return found;
    const { conditions = [] } = status;
    const generation = conditions[0]?.observedGeneration ?? 0;
    const condition = versionCondition(generation, this.#seen.version);
    const complete = { ...status, conditions: [...conditions, condition] };
    this.#known.set(status, complete);
    return complete;
  }
}
