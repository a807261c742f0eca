/** The objects that are named for a refusal: those without which it would not be. */
import assert from "node:assert/strict";
import { ITEMS_MESH } from "../../../tests/support/items_mesh.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import { verdictLine, verdictOf } from "../verdict/mod.ts";
import { OfflineMesh } from "./mod.ts";

const MESH = `${ITEMS_MESH}---
apiVersion: telemetry.mesh.io/v1
kind: Telemetry
metadata: {name: logs, namespace: shop}
spec: {accessLogging: [{providers: [{name: envoy}]}]}
`;
const STRICT = `---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;
const rule = (tls: string) =>
  `---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: items, namespace: shop}
spec: {host: items.example, trafficPolicy: {tls: ${tls}}}
`;
const deny = (name: string) =>
  `---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: {action: DENY, rules: [{}]}
`;
const ROUTES = `---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: items, namespace: shop}
spec: {hosts: [items.example], http: [{directResponse: {status: 418}}]}
`;

const CASES: readonly (readonly [title: string, added: string, wanted: RegExp])[] = [
  [
    "a client in plain text and a server that wants mutual TLS",
    STRICT + rule("{mode: DISABLE}"),
    /^DENIED by DestinationRule\/shop\/items, PeerAuthentication\/shop\/strict: .*sends HTTP\/1\.1 in plain text to port 80, where TLS is accepted$/,
  ],
  [
    "a client with TLS of its own and a server without mutual TLS",
    STRICT.replace("STRICT", "DISABLE") + rule("{mode: SIMPLE, sni: items.example}"),
    /^DENIED by DestinationRule\/shop\/items: /,
  ],
  ["a policy", deny("a"), /^DENIED by AuthorizationPolicy\/shop\/a: 403/],
  [
    "two policies, each of which refuses",
    deny("a") + deny("b"),
    /^DENIED by AuthorizationPolicy\/shop\/a, AuthorizationPolicy\/shop\/b: 403/,
  ],
  ["a route that answers", ROUTES, /^DENIED by VirtualService\/shop\/items: 418/],
  ["nothing that refuses", STRICT, /^ALLOWED/],
];

for (const [title, added, wanted] of CASES) {
  Deno.test(`deciding objects: ${title}`, async () => {
    const { mesh } = OfflineMesh.of({ objects: objectsOf(MESH + added) });
    const question = { from: "front.web", url: "http://items.example/" };
    const line = verdictLine(verdictOf(await mesh.askDeciding(question)));
    assert.match(line, wanted);
    // The objects are there again.
    assert.equal(verdictLine(verdictOf(await mesh.askDeciding(question))), line);
  });
}

const api = (kind: string, name: string, spec: string) =>
  `---
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;
const EDGE = `---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: edge, namespace: shop}
spec:
  hosts: [edge.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [10.1.0.2]
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 90, name: tcp, protocol: TCP}]
  workloadSelector: {labels: {app: edge}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: edge, namespace: shop}
spec: {address: 172.16.0.7, labels: {app: edge}, serviceAccount: edge}
${
  api(
    "Gateway",
    "edge",
    `{
  gatewayClassName: mesh,
  addresses: [{type: Hostname, value: edge.shop.svc.cluster.local}],
  listeners: [{name: http, port: 80, protocol: HTTP}, {name: tcp, port: 90, protocol: TCP}]}`,
  )
}`;
const OF_SERVICE = "parentRefs: [{group: networking.mesh.io, kind: ServiceEntry, name: items}]";
const OF_EDGE = "parentRefs: [{name: edge}]";
const TO_ITEMS =
  "{backendRefs: [{group: networking.mesh.io, kind: Hostname, name: items.example, port: 80}]}";
const TO_NOBODY = "{matches: [{path: {value: /a}}], backendRefs: [{name: absent, port: 80}]}";
const TO_NO_METHOD = "{matches: [{method: {service: a}}], backendRefs: [{name: absent, port: 80}]}";
const httpRoute = (parent: string, ...rules: readonly string[]) =>
  api("HTTPRoute", "items", `{${parent}, rules: [${rules.join()}]}`);

const ROUTE_CASES: readonly (readonly [
  title: string,
  documents: string,
  wanted: RegExp,
  field?: string,
])[] = [
  [
    "one rule of several of an HTTPRoute between workloads",
    httpRoute(OF_SERVICE, "{matches: [{path: {value: /b}}]}", TO_NOBODY, TO_ITEMS),
    /^DENIED by HTTPRoute\/shop\/items: 500/,
    "spec.rules[1].matches[0]",
  ],
  [
    "a GRPCRoute between workloads",
    api("GRPCRoute", "items", `{${OF_SERVICE}, rules: [${TO_NO_METHOD}]}`),
    /^DENIED by GRPCRoute\/shop\/items: 500/,
    "spec.rules[0].matches[0]",
  ],
  [
    "one rule of several at a gateway",
    EDGE + httpRoute(OF_EDGE, TO_NOBODY, TO_ITEMS),
    /^DENIED by HTTPRoute\/shop\/items: 500/,
    "spec.rules[0].matches[0]",
  ],
  [
    "the only route at a gateway, without which it would refuse otherwise",
    EDGE + httpRoute(OF_EDGE, TO_NOBODY),
    /^DENIED by HTTPRoute\/shop\/items: 500/,
    "spec.rules[0].matches[0]",
  ],
  ["no route at a gateway", EDGE, /^DENIED: 404/],
  [
    "a listener without a route, before one with a route",
    EDGE.replace(
      "{name: tcp",
      "{name: own, port: 80, protocol: HTTP, hostname: items.example}, {name: tcp",
    ) +
    httpRoute("parentRefs: [{name: edge, sectionName: http}]", TO_ITEMS),
    /^DENIED by Gateway\/shop\/edge: 404/,
    "spec.listeners[1]",
  ],
  [
    "connections at a gateway",
    EDGE +
    api("TCPRoute", "items", `{${OF_EDGE}, rules: [{backendRefs: [{name: absent, port: 80}]}]}`),
    /^DENIED by TCPRoute\/shop\/items: /,
  ],
];

for (const [title, documents, wanted, field] of ROUTE_CASES) {
  Deno.test(`deciding routes: ${title}`, async () => {
    const { mesh } = OfflineMesh.of({ objects: objectsOf(MESH + documents) });
    const atEdge = documents.includes("kind: Gateway");
    const url = documents.includes("TCPRoute") ? "tcp://172.16.0.7:90" : `http://items.example/a`;
    const found = await mesh.askDeciding({ from: atEdge ? "edge.shop" : "front.web", url });
    assert.match(verdictLine(verdictOf(found)), wanted);
    const [cause] = found.outcomes.flatMap(({ refusal }) => refusal?.causes ?? []);
    if (field !== undefined) assert.equal(cause?.field, field);
  });
}

Deno.test("deciding objects: among the routes of many services", async () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    `---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a${at}, namespace: shop}
spec:
  hosts: [a${at}.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a${at}, namespace: shop}
spec: {hosts: [a${at}.example], http: [{route: [{destination: {host: a${at}.example}}]}]}
`).join("");
  const { mesh } = OfflineMesh.of({ objects: objectsOf(MESH + many + ROUTES) });
  const found = await mesh.askDeciding({ from: "front.web", url: "http://items.example/" });
  assert.match(verdictLine(verdictOf(found)), /^DENIED by VirtualService\/shop\/items: 418/);
});
