import assert from "node:assert/strict";
import { serviceKeys } from "../model/mod.ts";
import { meshOf } from "../../../tests/support/mesh_fixture.ts";
import { gatewayServerKey } from "./mod.ts";

function entry(name: string, namespace: string, host: string, more = ""): string {
  return `
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: [${host}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, labels: {version: v1}}]
${more}`;
}

function rule(name: string, namespace: string, host: string, more = ""): string {
  return `
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  host: "${host}"
  subsets: [{name: ${name}, labels: {version: v1}}]
${more}`;
}

function route(name: string, namespace: string, host: string, more = ""): string {
  return `
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: ["${host}"]
  http: [{route: [{destination: {host: a.example}}]}]
${more}`;
}

Deno.test("a host means the namespace's own service first, then the oldest one it may see", () => {
  const mesh = meshOf([
    entry("old", "one", "a.example"),
    entry("young", "two", "a.example"),
    entry("private", "three", "a.example", "  exportTo: ['.']"),
    entry("shown", "four", "b.example", "  exportTo: [three]"),
  ].join("\n---\n"));
  const resolve = (namespace: string, host: string): string | undefined => {
    const found = mesh.graph.peek(mesh.services.resolve, { namespace, host });
    return found && serviceKeys.encode(found);
  };
  assert.equal(resolve("", "a.example"), "one/a.example");
  assert.equal(resolve("two", "a.example"), "two/a.example");
  assert.equal(resolve("three", "a.example"), "three/a.example");
  assert.equal(resolve("five", "a.example"), "one/a.example");
  assert.equal(resolve("", "b.example"), undefined);
  assert.equal(resolve("three", "b.example"), "four/b.example");
});

Deno.test("the client's rule wins over the service's, and that over the root namespace's", () => {
  const mesh = meshOf([
    entry("svc", "owner", "a.example"),
    rule("owners", "owner", "a.example"),
    rule("clients", "client", "*.example"),
    rule("roots", "mesh-system", "*"),
    rule("hidden", "hider", "a.example"),
  ].join("\n---\n"));
  const winner = (client: string, owner: string, host: string): string =>
    mesh.graph.peek(mesh.policies.rules, { client, owner, host }).join();
  assert.equal(winner("client", "owner", "a.example"), "client/clients");
  assert.equal(winner("other", "owner", "a.example"), "owner/owners");
  assert.equal(winner("", "owner", "a.example"), "owner/owners");
  assert.equal(winner("other", "owner", "b.org"), "mesh-system/roots");
});

Deno.test("rules of one host merge: subsets of all, the first's policy, the first of equal names", () => {
  const mesh = meshOf([
    entry("svc", "owner", "a.example"),
    rule("one", "owner", "a.example"),
    rule("two", "owner", "a.example", "  trafficPolicy: {loadBalancer: {simple: RANDOM}}"),
  ].join("\n---\n"));
  const key = mesh.graph.peek(mesh.policies.rules, {
    client: "",
    owner: "owner",
    host: "a.example",
  });
  const policy = mesh.graph.peek(mesh.policies.policy, key);
  assert.deepEqual(policy.subsets.map((s) => s.name), ["one", "two"]);
  assert.equal(policy.trafficPolicy?.loadBalancer?.lbPolicy.case, "simple");
});

Deno.test("rules merge only where the same namespaces see them, unless that is switched off", () => {
  const rules = [
    rule("first", "one", "a.example", "  exportTo: [two, .]"),
    rule("alike", "one", "a.example", "  exportTo: [., two]"),
    rule("public", "one", "a.example"),
  ].join("\n---\n");
  const mergedWhere = (mergeEqualExports: boolean): string => {
    const { graph, policies } = meshOf(rules, { mergeEqualExports });
    const key = { client: "one", owner: "one", host: "a.example" };
    return graph.peek(policies.rules, key).join();
  };
  assert.equal(mergedWhere(true), "one/first,one/alike");
  assert.equal(mergedWhere(false), "one/first,one/alike,one/public");
});

Deno.test("the most specific VirtualService routes a host, then the oldest", () => {
  const mesh = meshOf([
    route("wide", "one", "*.example"),
    route("old", "one", "a.example"),
    route("young", "two", "a.example"),
    route("hidden", "two", "b.example", "  exportTo: ['.']"),
  ].join("\n---\n"));
  const of = (namespace: string, host: string): string =>
    mesh.graph.peek(mesh.routes.meshRoute, { namespace, host });
  assert.equal(of("x", "a.example"), "one/old");
  assert.equal(of("x", "c.example"), "one/wide");
  assert.equal(of("x", "b.example"), "one/wide");
  assert.equal(of("two", "b.example"), "two/hidden");
  assert.equal(of("x", "b.org"), "");
});

Deno.test("a ServiceEntry selects WorkloadEntries of its namespace by all labels", () => {
  const workload = (name: string, ns: string, address: string, labels: string): string => `
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: ${name}, namespace: ${ns}}
spec: {address: ${address}, labels: {${labels}}, locality: r/z/s, weight: 3}
`;
  const mesh = meshOf([
    `
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: svc, namespace: one}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP, targetPort: 8080}]
  workloadSelector: {labels: {app: a, tier: web}}
`,
    workload("chosen", "one", "10.0.0.1", "app: a, tier: web, more: x"),
    workload("half", "one", "10.0.0.2", "app: a"),
    workload("elsewhere", "two", "10.0.0.3", "app: a, tier: web"),
  ].join("\n---\n"));
  const endpoints = mesh.graph.peek(mesh.services.endpoints, {
    namespace: "one",
    host: "a.example",
  });
  assert.deepEqual(endpoints.map((e) => e.address), ["10.0.0.1"]);
  assert.deepEqual(endpoints[0]?.ports, { http: 8080 });
  assert.deepEqual(endpoints[0]?.locality, { region: "r", zone: "z", subzone: "s" });
  assert.equal(endpoints[0]?.weight, 3);
  assert.deepEqual(mesh.graph.peek(mesh.targets, ["10.0.0.1"]), [
    { service: "one/a.example", port: 80, targetPort: 8080 },
  ]);
  assert.deepEqual(mesh.graph.peek(mesh.targets, ["10.0.0.2"]), []);
});

function sidecar(name: string, hosts: string, selector = ""): string {
  return `
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: ${name}, namespace: one}
spec:
${selector}
  egress: [{hosts: [${hosts}]}]
`;
}

Deno.test("a Sidecar that selects the workload wins over the namespace's", () => {
  const mesh = meshOf([
    sidecar("all", "'*/*'"),
    sidecar("some", "'*/*'", "  workloadSelector: {labels: {app: a}}"),
  ].join("\n---\n"));
  const of = (labels: Record<string, string>): string =>
    mesh.graph.peek(mesh.scopes.sidecar, { namespace: "one", labels });
  assert.equal(of({ app: "a", version: "v1" }), "one/some");
  assert.equal(of({ app: "b" }), "one/all");
  assert.equal(mesh.graph.peek(mesh.scopes.sidecar, { namespace: "two", labels: {} }), "");
});

Deno.test("a Sidecar of the root namespace is the default of namespaces without one that applies", () => {
  const rootSidecar = (name: string, more: string): string =>
    sidecar(name, "'./*'", more).replace("namespace: one", "namespace: mesh-system");
  const mesh = meshOf([
    entry("a", "one", "a.example"),
    entry("b", "two", "b.example"),
    entry("r", "mesh-system", "r.example"),
    rootSidecar("selecting", "  workloadSelector: {labels: {app: a}}"),
    rootSidecar("mesh-default", ""),
    rootSidecar("mesh-later", ""),
    sidecar("some", "'*/*'", "  workloadSelector: {labels: {app: a}}"),
  ].join("\n---\n"));
  const of = (namespace: string, labels: Record<string, string> = {}): string =>
    mesh.graph.peek(mesh.scopes.sidecar, { namespace, labels });
  const imports = (namespace: string): readonly string[] =>
    mesh.graph.peek(mesh.scopes.egressHosts, {
      namespace,
      sidecar: "mesh-system/mesh-default",
      listener: undefined,
    });
  assert.equal(of("one", { app: "a" }), "one/some");
  assert.equal(of("one", { app: "b" }), "mesh-system/mesh-default");
  assert.equal(of("two"), "mesh-system/mesh-default");
  assert.equal(of("two", { app: "a" }), "mesh-system/mesh-default");
  assert.equal(of("mesh-system", { app: "a" }), "mesh-system/selecting");
  assert.equal(of("mesh-system"), "mesh-system/mesh-default");
  assert.deepEqual(imports("one"), ["a.example"]);
  assert.deepEqual(imports("two"), ["b.example"]);
  assert.deepEqual(imports("mesh-system"), ["r.example"]);
});

Deno.test("egress hosts import by namespace and pattern, and bring the destinations of routes", () => {
  const mesh = meshOf([
    entry("a", "one", "a.example"),
    entry("b", "two", "b.example"),
    entry("c", "two", "c.org"),
    entry("hidden", "two", "d.example", "  exportTo: ['.']"),
    route("to-a", "two", "c.org"),
    sidecar("own", "'./*'"),
    sidecar("pattern", "'*/*.example'"),
    sidecar("exact", "two/c.org"),
    sidecar("none", "'~/*'"),
  ].join("\n---\n"));
  const of = (name: string, listener: number | undefined): readonly string[] =>
    mesh.graph.peek(mesh.scopes.egressHosts, {
      namespace: "one",
      sidecar: `one/${name}`,
      listener,
    });
  assert.deepEqual(of("own", 0), ["a.example"]);
  assert.deepEqual(of("pattern", 0), ["a.example", "b.example"]);
  assert.deepEqual(of("exact", 0), ["c.org"]);
  assert.deepEqual(of("exact", undefined), ["a.example", "c.org"]);
  assert.deepEqual(of("none", undefined), []);
});

Deno.test("servers of one port merge over Gateways; plain TCP does not mix with HTTP", () => {
  const gateway = (name: string, protocol: string, hosts: string): string => `
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: one}
spec:
  selector: {mesh: ingress}
  servers: [{port: {number: 80, name: p, protocol: ${protocol}}, hosts: [${hosts}]}]
`;
  const mesh = meshOf([
    gateway("first", "HTTP", "a.example, './b.example'"),
    gateway("second", "HTTP", "'*.org'"),
    gateway("third", "TCP", "'*'"),
  ].join("\n---\n"));
  const ports = mesh.graph.peek(mesh.gatewayPorts, {
    namespace: "",
    labels: { mesh: "ingress", x: "y" },
  });
  assert.equal(ports.length, 1);
  assert.deepEqual(ports[0]?.gateways, ["one/first", "one/second"]);
  assert.deepEqual(ports[0]?.hosts.map((h) => `${h.namespace}/${h.host}`), [
    "*/a.example",
    "one/b.example",
    "*/*.org",
  ]);
  assert.deepEqual(
    mesh.graph.peek(mesh.gatewayPorts, { namespace: "", labels: { mesh: "other" } }),
    [],
  );
});

Deno.test("servers with TLS of one port are distinguished by host, the oldest Gateway's first", () => {
  const gateway = (name: string, ...servers: readonly string[]): string => `
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: one}
spec:
  selector: {mesh: ingress}
  servers: [${servers.join(", ")}]
`;
  const server = (protocol: string, hosts: string, tls: string): string =>
    `{port: {number: 443, name: ${
      hosts.slice(0, 1)
    }, protocol: ${protocol}}, hosts: [${hosts}], tls: {${tls}}}`;
  const files = "serverCertificate: /c, privateKey: /k";
  const mesh = meshOf([
    gateway(
      "first",
      server("HTTPS", "a.example, b.example", `mode: SIMPLE, ${files}`),
      server("TLS", "c.example", "mode: PASSTHROUGH"),
      server("TLS", "d.example", `mode: SIMPLE, ${files}`),
      server("HTTPS", "e.example", "mode: SIMPLE, credentialName: secret"),
    ),
    gateway(
      "second",
      server("HTTPS", "a.example, f.example", `mode: MUTUAL, caCertificates: /ca, ${files}`),
      server("HTTPS", "b.example", `mode: SIMPLE, ${files}`),
      "{port: {number: 443, name: plain, protocol: HTTP}, hosts: [g.example]}",
    ),
  ].join("\n---\n"));
  const [port, ...others] = mesh.graph.peek(
    mesh.gatewayPorts,
    { namespace: "", labels: { mesh: "ingress" } },
  );
  assert.deepEqual(others, []);
  assert.equal(port?.family, "tls");
  assert.deepEqual(
    port?.servers.map((s) => [s.kind, gatewayServerKey(s), ...s.hosts.map((h) => h.host)]),
    [
      ["https", "a.first.one", "a.example", "b.example"],
      ["passthrough", "c.first.one", "c.example"],
      ["tls", "d.first.one", "d.example"],
      ["https", "e.first.one", "e.example"],
      ["https", "a.second.one", "f.example"],
    ],
  );
});
