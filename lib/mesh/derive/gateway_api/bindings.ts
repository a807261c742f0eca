/**
 * Gateways, routes and policies of the Gateway API, bound to each other: derived tables.
 *
 * @module
 */
import type { Derived } from "../../graph/mod.ts";
import { type ObjectKey, objectKey, objectKeys } from "../../model/mod.ts";
import {
  bindBackend,
  bindBackendTls,
  bindBackendTraffic,
  bindGateway,
  bindRoute,
  type BoundBackend,
  type BoundBackendTls,
  type BoundBackendTraffic,
  type BoundGateway,
  type BoundParent,
} from "../../gateway_api/mod.ts";
import { gatewayApiIndexes } from "./indexes.ts";
import {
  apiBackendLookups,
  type GatewayApiInputs,
  gatewayLookups,
  policyLookups,
  routeLookups,
  trafficLookups,
} from "./lookups.ts";
import { deriveExperimentalFields } from "./experimental_fields.ts";
import { deriveReferences, type References } from "./references.ts";
import { type RouteKey, routeKeys } from "./tables.ts";

/** The derived tables of bindings. */
export interface GatewayApiBindings {
  /** A Gateway with its listeners; undefined: there is none, or another controller handles it. */
  readonly gateways: Derived<BoundGateway | undefined, ObjectKey>;
  /** The parents of a route that Mesh handles. */
  readonly routes: Derived<readonly BoundParent[], RouteKey>;
  readonly policies: Derived<BoundBackendTls | undefined, ObjectKey>;
  /** Undefined also while fields of the experimental channel do not act. */
  readonly trafficPolicies: Derived<BoundBackendTraffic | undefined, ObjectKey>;
  /** Undefined also while fields of the experimental channel do not act. */
  readonly backends: Derived<BoundBackend | undefined, ObjectKey>;
}

/** Key `all` → fields of the experimental channel, as `Kind/namespace/name spec.field`, sorted. */
export type ExperimentalFields = Derived<readonly string[]>;

/** Tables of bindings, with what they were made from. */
export interface GatewayApi extends GatewayApiInputs {
  readonly bound: GatewayApiBindings;
  readonly references: References;
  readonly experimentalFields: ExperimentalFields;
}

/** Creates the indexes and the tables. */
export function deriveGatewayApi(given: Omit<GatewayApiInputs, "indexes">): GatewayApi {
  const { mesh: { graph }, api } = given;
  const inputs = { ...given, indexes: gatewayApiIndexes(graph, api) };
  const gateways: GatewayApiBindings["gateways"] = graph.derive(
    "gatewayApi.gateway",
    objectKeys,
    (read, key) => {
      const row = read.get(api.gateways, objectKey(key));
      return row && bindGateway(row, gatewayLookups(read, inputs));
    },
  );
  const routes: GatewayApiBindings["routes"] = graph.derive(
    "gatewayApi.route",
    routeKeys,
    (read, key): readonly BoundParent[] => {
      const row = read.get(api.routes[key.kind], objectKey(key));
      return row === undefined ? [] : bindRoute(row, routeLookups(read, inputs, gateways));
    },
  );
  const policies: GatewayApiBindings["policies"] = graph.derive(
    "gatewayApi.policy",
    objectKeys,
    (read, key) => {
      const row = read.get(api.backendTlsPolicies, objectKey(key));
      return row && bindBackendTls(row, policyLookups(read, inputs));
    },
  );
  const trafficPolicies: GatewayApiBindings["trafficPolicies"] = graph.derive(
    "gatewayApi.trafficPolicy",
    objectKeys,
    (read, key) => {
      const row = read.get(api.backendTrafficPolicies, objectKey(key));
      if (row === undefined || !inputs.options.experimental) return undefined;
      return bindBackendTraffic(row, trafficLookups(read, inputs));
    },
  );
  const backends: GatewayApiBindings["backends"] = graph.derive(
    "gatewayApi.backend",
    objectKeys,
    (read, key) => {
      const row = read.get(api.backends, objectKey(key));
      if (row === undefined || !inputs.options.experimental) return undefined;
      return bindBackend(row, apiBackendLookups(read, inputs));
    },
  );
  const bound = { gateways, routes, policies, trafficPolicies, backends };
  const experimentalFields = deriveExperimentalFields(graph, api);
  return { ...inputs, bound, references: deriveReferences(graph, api, bound), experimentalFields };
}
