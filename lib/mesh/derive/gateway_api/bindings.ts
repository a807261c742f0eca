/**
 * Gateways, routes and policies of the Gateway API, bound to each other: derived tables.
 *
 * @module
 */
import type { Derived } from "../../graph/mod.ts";
import { type ObjectKey, objectKey, objectKeys } from "../../model/mod.ts";
import {
  bindBackendTls,
  bindGateway,
  bindRoute,
  type BoundBackendTls,
  type BoundGateway,
  type BoundParent,
} from "../../gateway_api/mod.ts";
import { gatewayApiIndexes } from "./indexes.ts";
import { type GatewayApiInputs, gatewayLookups, policyLookups, routeLookups } from "./lookups.ts";
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
  const bound = { gateways, routes, policies };
  const experimentalFields = deriveExperimentalFields(graph, api);
  return { ...inputs, bound, references: deriveReferences(graph, api, bound), experimentalFields };
}
