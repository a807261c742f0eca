/**
 * Fields of the Gateway API's experimental channel that objects have.
 *
 * @module
 */
import { type Derived, type Graph, type Index, type Input, text } from "../../graph/mod.ts";
import { type ConfigObject, objectKey, objectRef } from "../../model/mod.ts";
import {
  type BackendTrafficPolicy,
  type Gateway,
  isDefaultGateway,
  type Route,
  ROUTE_KINDS,
  usesDefaultGateways,
} from "../../gateway_api/mod.ts";
import type { GatewayApiTables } from "./tables.ts";

/** Fields of rules that only the experimental channel has. */
const OF_RULES = ["retry", "sessionPersistence"] as const;

/** Creates the table: key `all` → `Kind/namespace/name spec.field`, sorted. */
export function deriveExperimentalFields(
  graph: Graph,
  api: GatewayApiTables,
): Derived<readonly string[]> {
  const keys = { bucket: text, member: text };
  const ofGateways = graph.index(
    api.gateways,
    "GatewayApi.experimentalFields",
    keys,
    function* (gateway: Gateway) {
      const name = objectKey(gateway.meta);
      if (isDefaultGateway(gateway.spec)) yield ["all", `Gateway/${name} spec.defaultScope`];
    },
  );
  const ofRoutes: Index[] = ROUTE_KINDS.map((kind) =>
    graph.index(api.routes[kind], `${kind}.experimentalFields`, keys, function* (route: Route) {
      for (const field of fieldsOf(route)) yield ["all", `${objectRef(route)} ${field}`];
    })
  );
  const ofPolicies = graph.index(
    api.backendTrafficPolicies,
    "XBackendTrafficPolicy.experimentalFields",
    keys,
    (policy: BackendTrafficPolicy) => [["all", `${objectRef(policy)} spec`]],
  );
  const ofObjects = ([["XBackend", api.backends], ["XMesh", api.meshes]] as const).map((
    [kind, table],
  ) =>
    graph.index(
      table as Input<ConfigObject>,
      `${kind}.experimentalFields`,
      keys,
      (object: ConfigObject) => [["all", `${objectRef(object)} spec`]],
    )
  );
  return graph.derive(
    "gatewayApi.experimentalFields",
    text,
    (read, key): readonly string[] =>
      [ofGateways, ofPolicies, ...ofObjects, ...ofRoutes].flatMap((index) =>
        read.members(index, key)
      ).sort(),
  );
}

function fieldsOf({ spec }: Route): string[] {
  const ofRules = (spec.rules ?? []).flatMap((rule, index) =>
    OF_RULES.filter((field) => rule[field] !== undefined)
      .map((field) => `spec.rules[${index}].${field}`)
  );
  return usesDefaultGateways(spec) ? ["spec.useDefaultGateways", ...ofRules] : ofRules;
}
