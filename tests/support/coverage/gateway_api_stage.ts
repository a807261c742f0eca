/**
 * A mesh with objects of the Gateway API, and what proxies and readers of its status see of it.
 *
 * @module
 */
import { deriveGatewayApiStatus } from "../../../lib/mesh/derive/mod.ts";
import { ROUTE_KINDS } from "../../../lib/mesh/gateway_api/mod.ts";
import {
  configMapKey,
  type Credential,
  objectKey,
  objectKeys,
} from "../../../lib/mesh/model/mod.ts";
import { defaultMeshConfig } from "../../../lib/mesh/schema/mod.ts";
import {
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../translation_fixture.ts";
import type { Stage } from "./observe.ts";

const gatewayProxy = (name: string, ip: string) => ({
  ...proxyNode("one", { ip, labels: { "gateway.networking.k8s.io/gateway-name": name } }),
  role: "router" as const,
});

const WATCHERS = [
  gatewayProxy("edge", "10.0.0.8"),
  gatewayProxy("subject", "10.0.0.9"),
  proxyNode("one", { labels: { app: "client" } }),
];

const CERTIFICATE: Credential = { certificate: "certificate", privateKey: "key" };
const AUTHORITY: Credential = { authorities: "authority" };

/** Certificates and authorities that the scenes name. */
const CREDENTIALS: ReadonlyMap<string, Credential> = new Map([
  [objectKey({ namespace: "one", name: "cert" }), CERTIFICATE],
  [objectKey({ namespace: "one", name: "other" }), { ...CERTIFICATE, certificate: "another" }],
  [configMapKey({ namespace: "one", name: "ca" }), AUTHORITY],
  [configMapKey({ namespace: "one", name: "other" }), { authorities: "another" }],
]);

/** A mesh of documents; what is seen is what proxies are served, and the status of all objects. */
export function openApiStage(background: string): Stage {
  const bench = startTranslation(defaultMeshConfig(), {
    ...DEFAULT_FEATURES,
    experimentalGatewayApi: true,
  });
  bench.apply({ credentials: CREDENTIALS });
  bench.set(background);
  const { gatewayApi } = bench.mesh;
  const status = deriveGatewayApiStatus(bench.mesh);
  const bindings = WATCHERS.map((node) => bench.translation.source.bind(node, () => {}));
  const statuses = () => {
    const { api } = gatewayApi;
    const keys = (table: { keys(): readonly string[] }) =>
      table.keys().map((key) => objectKeys.decode(key));
    return [
      keys(api.gateways).map((key) => bench.graph.peek(status.gateways, key)),
      keys(api.listenerSets).map((key) => bench.graph.peek(status.listenerSets, key)),
      keys(api.backendTlsPolicies).map((key) => bench.graph.peek(status.policies, key)),
      keys(api.backendTrafficPolicies).map((key) => bench.graph.peek(status.trafficPolicies, key)),
      keys(api.backends).map((key) => bench.graph.peek(status.backends, key)),
      ...ROUTE_KINDS.map((kind) =>
        keys(api.routes[kind]).map((key) => bench.graph.peek(status.routes, { kind, ...key }))
      ),
    ];
  };
  return { bench, look: () => JSON.stringify([bindings.map(everything), statuses()]) };
}
