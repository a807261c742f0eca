import assert from "node:assert/strict";
import { createGatewayApiTables } from "../../../../tests/support/gateway_api_tables.ts";

const GATEWAY = `kind: Gateway
metadata: {name: g, generation: 7}
spec:
  gatewayClassName: mesh
  addresses: [{type: Hostname, value: front.example.org}]
  listeners: [{name: a, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
---
`;
const FRONT = `# entries
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: front, namespace: default}
spec: {hosts: [front.example.org], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: echo, namespace: default}
spec: {hosts: [echo.default.svc.cluster.local], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`;

function route(name: string, namespace = "default", backend = "echo"): string {
  return `kind: HTTPRoute
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  parentRefs: [{name: g, namespace: default}]
  rules: [{backendRefs: [{name: ${backend}, port: 80}]}]
---
`;
}

const G = { namespace: "default", name: "g" };

Deno.test("the status of a Gateway counts its routes, and is that of its generation", () => {
  const { apply, remove, graph, status } = createGatewayApiTables();
  apply(GATEWAY + route("r") + route("s", "other") + FRONT);
  const attached = () => graph.peek(status.gateways, G)?.listeners?.[0]?.attachedRoutes;
  assert.equal(attached(), 2);
  assert.equal(graph.peek(status.gateways, G)?.conditions[0]?.observedGeneration, 7);
  remove("HTTPRoute", "other", "s");
  assert.equal(attached(), 1);
});

Deno.test("the status of a route follows the objects that it names", () => {
  const { apply, graph, status } = createGatewayApiTables();
  const reasons = () =>
    graph.peek(status.routes, { kind: "HTTPRoute", namespace: "default", name: "r" })?.parents
      .map(({ conditions }) => conditions.map(({ reason }) => reason).join());
  apply(route("r", "default", "echo"));
  assert.deepEqual(reasons(), []);
  apply(GATEWAY);
  assert.deepEqual(reasons(), ["Accepted,BackendNotFound"]);
  apply(FRONT);
  assert.deepEqual(reasons(), ["Accepted,ResolvedRefs"]);
});

Deno.test("one changed route computes the status of one route and the count of its namespace", () => {
  const { apply, graph, status } = createGatewayApiTables();
  const names = Array.from({ length: 100 }, (_, i) => i);
  const all = names.map((i) => route(`r${i}`, `n${i % 10}`)).join("");
  apply(GATEWAY + all + FRONT);
  const peekAll = () => {
    graph.peek(status.gateways, G);
    for (const i of names) {
      graph.peek(status.routes, { kind: "HTTPRoute", namespace: `n${i % 10}`, name: `r${i}` });
    }
  };
  peekAll();
  graph.resetStats();
  apply(route("r11", "n1", "none"));
  peekAll();
  const { computedByTable } = graph.stats();
  assert.equal(computedByTable["gatewayApi.status.route"], 1);
  assert.equal(computedByTable["gatewayApi.route"], 1);
  assert.equal(computedByTable["gatewayApi.attached"] ?? 0, 0);
  assert.equal(computedByTable["gatewayApi.status.gateway"] ?? 0, 0);
  graph.resetStats();
  apply(route("new", "n1"));
  peekAll();
  const more = graph.stats().computedByTable;
  assert.equal(more["gatewayApi.attached"], 1);
  assert.equal(more["gatewayApi.status.gateway"], 1);
  assert.equal(more["gatewayApi.status.route"] ?? 0, 0);
  assert.equal(more["gatewayApi.gateway"] ?? 0, 0);
});

Deno.test("the ancestors of a policy are the Gateways with routes to its target", () => {
  const { apply, graph, status } = createGatewayApiTables();
  apply(`${GATEWAY}${route("r")}kind: BackendTLSPolicy
metadata: {name: p}
spec: {targetRefs: [{kind: Service, name: echo}], validation: {wellKnownCACertificates: System}}
${FRONT}`);
  const ancestors = graph.peek(status.policies, { namespace: "default", name: "p" })?.ancestors;
  assert.deepEqual(ancestors?.map(({ ancestorRef: { name } }) => name), ["g"]);
});

Deno.test("the status of an XBackendTrafficPolicy has a condition for each of its targets", () => {
  const { apply, graph, status } = createGatewayApiTables();
  const policy = (name: string, targets: string) =>
    `kind: XBackendTrafficPolicy\nmetadata: {name: ${name}, generation: 3}\n` +
    `spec: {retryConstraint: {}, targetRefs: [${targets}]}\n---\n`;
  const target = (name: string, kind = "Service") => `{group: "", kind: ${kind}, name: ${name}}`;
  apply(
    policy("p", [target("echo"), target("absent"), target("echo", "Pod")].join()) +
      policy("q", target("echo")) + FRONT,
  );
  const said = (name: string) =>
    graph.peek(status.trafficPolicies, { namespace: "default", name })?.ancestors.map((one) => {
      const [condition] = one.conditions;
      assert.equal(condition?.observedGeneration, 3);
      return `${one.ancestorRef.name}: ${condition?.type} ${condition?.status} ${condition?.reason}`;
    });
  assert.deepEqual(said("p"), [
    "echo: Accepted True Accepted",
    "absent: Accepted False TargetNotFound",
    "echo: Accepted False Invalid",
  ]);
  assert.deepEqual(said("q"), ["echo: Accepted False Conflicted"]);
});

/** The third object of Mesh in a document: its age is 3. */
const RULE = `---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: written, namespace: NAMESPACE}
spec: {host: echo.default.svc.cluster.local, POLICY}
`;

const LIMIT = "trafficPolicy: {connectionPool: {tcp: {maxConnections: 9}}}";

for (
  const [about, { created = 9, policy = LIMIT, namespace = "default" }, expected] of [
    ["an older rule with a trafficPolicy", {}, "False Conflicted"],
    ["a younger rule", { created: 2 }, "True Accepted"],
    ["a rule with subsets alone", { policy: "subsets: [{name: v1}]" }, "True Accepted"],
    ["a rule for clients of another namespace", { namespace: "other" }, "True Accepted"],
  ] as const satisfies readonly [
    string,
    { readonly created?: number; readonly policy?: string; readonly namespace?: string },
    string,
  ][]
) {
  Deno.test(`a DestinationRule beside policies of its host: ${about}`, () => {
    const { apply, graph, status } = createGatewayApiTables();
    const meta = `metadata: {name: p, creationTimestamp: ${created}}`;
    const targets = 'targetRefs: [{group: "", kind: Service, name: echo}]';
    apply(`${GATEWAY}${route("r")}kind: XBackendTrafficPolicy
${meta}
spec: {retryConstraint: {}, ${targets}}
---
kind: BackendTLSPolicy
${meta}
spec: {${targets}, validation: {hostname: echo, wellKnownCACertificates: System}}
${FRONT}${RULE.replace("NAMESPACE", namespace).replace("POLICY", policy)}`);
    const key = { namespace: "default", name: "p" };
    const said = [status.trafficPolicies, status.policies].map((table) => {
      const accepted = graph.peek(table, key)?.ancestors[0]?.conditions[0];
      return `${accepted?.status} ${accepted?.reason}`;
    });
    assert.deepEqual(said, [expected, expected]);
  });
}
