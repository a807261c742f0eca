/**
 * TCP and TLS rules with source labels: proxies that match get separate listeners, all others share.
 */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { fromBinary, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const WORLD = `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example, b.example]
  resolution: STATIC
  ports: [{number: 90, name: tcp, protocol: TCP}, {number: 443, name: tls, protocol: TLS}]
  endpoints: [{address: 10.0.0.1}]

---

apiVersion: networking.mesh.io/v1

kind: Gateway

metadata: {name: gw, namespace: one}

spec:
  selector: {app: web}
  servers: [{port: {number: 9000, name: tcp, protocol: TCP}, hosts: ["*"]}]

---

apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example]
  gateways: [mesh, gw]
  tls:
  - match: [{sniHosts: [a.example], sourceLabels: {app: web}}]
    route: [{destination: {host: b.example, port: {number: 443}}}]
  tcp:
  - match: [{sourceLabels: {app: web}}]
    route: [{destination: {host: b.example, port: {number: 90}}}]
  - route: [{destination: {host: a.example, port: {number: 90}}}]

`;

const SIDECAR = `apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: own, namespace: one}

spec:
  workloadSelector: {labels: {scoped: "yes"}}
  egress: [{hosts: ["./*"]}]

`;

const WEB = { labels: { app: "web" } };

function text(binding: ProxyBinding, name: string): string {
  const { bytes } = binding.view(TYPE_URLS.listener)!.get(name)!;
  const json = toJson(ListenerSchema, fromBinary(ListenerSchema, bytes), {
    registry: SERVED_TYPES,
  });
  return JSON.stringify(json);
}

/** The first of the clusters that a listener names. */
function firstCluster(binding: ProxyBinding, name: string): string {
  return /"cluster":"([^"]*)"/.exec(text(binding, name))?.[1] ?? "";
}

Deno.test("TCP and TLS rules for callers of certain labels are served to those", () => {
  const bench = startTranslation();
  bench.set(`${WORLD}---\n${SIDECAR}`);
  const binding = (...node: Parameters<typeof proxyNode>): ProxyBinding =>
    bench.translation.source.bind(proxyNode(...node), () => {});
  const scoped = (app: string) => binding("one", { labels: { app, scoped: "yes" } });
  const cases: [binding: ProxyBinding, listener: string, cluster: string][] = [
    [binding("one"), "0.0.0.0_90", "outbound|90||a.example"],
    [binding("one", WEB), "0.0.0.0_90", "outbound|90||b.example"],
    [binding("two", WEB), "0.0.0.0_90", "outbound|90||b.example"],
    [binding("one"), "0.0.0.0_443", "outbound|443||a.example"],
    [binding("one", WEB), "0.0.0.0_443", "outbound|443||b.example"],
    [scoped("web"), "0.0.0.0_90", "outbound|90||b.example"],
    [scoped("other"), "0.0.0.0_90", "outbound|90||a.example"],
    [binding("one", { ...WEB, role: "router" }), "0.0.0.0_9000", "outbound|90||b.example"],
  ];
  for (const [at, name, expected] of cases) assert.equal(firstCluster(at, name), expected, name);
});

Deno.test("a proxy without a matching rule shares the listeners of its namespace", () => {
  const bench = startTranslation();
  bench.set(WORLD);
  const binding = (labels: Record<string, string>): ProxyBinding =>
    bench.translation.source.bind(proxyNode("one", { labels }), () => {});
  const listener = (at: ProxyBinding) => at.view(TYPE_URLS.listener)!.get("0.0.0.0_90")!;
  const [plain, other, web] = [binding({}), binding({ app: "other" }), binding({ app: "web" })];
  assert.equal(listener(plain).bytes, listener(other).bytes);
  assert.notEqual(listener(web).version, listener(plain).version);

  const changed = (at: ProxyBinding, revision: number) =>
    at.view(TYPE_URLS.listener)!.since(revision)?.changed.map(({ name }) => name);
  const revision = bench.set(
    WORLD.replace(
      "sourceLabels: {app: web}}]\n    route: [{destination: {host: b.example, port: {number: 90}",
      "sourceLabels: {app: web}}]\n    route: [{destination: {host: b.example, port: {number: 443}",
    ),
  );
  assert.deepEqual(changed(plain, revision), []);
  assert.deepEqual(changed(web, revision), ["0.0.0.0_90"]);

  // A rule that no longer matches a client has no effect on the shared listener.
  bench.set(WORLD.replaceAll("sourceLabels: {app: web}", "sourceLabels: {app: none}"));
  assert.equal(listener(web).bytes, listener(plain).bytes);
});

const DATABASE = `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: db, namespace: one}

spec:
  hosts: [db.example]
  addresses: [240.0.0.9]
  resolution: STATIC
  ports: [{number: 5432, name: tcp, protocol: TCP}]
  endpoints: [{address: 10.0.0.9}]

---

apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: front, namespace: one}

spec:
  hosts: [front.example]
  resolution: STATIC
  ports: [{number: 5000, name: tcp, protocol: TCP}]
  endpoints: [{address: 10.0.0.8}]

---

apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: front, namespace: one}

spec:
  hosts: [front.example]
  tcp: [{route: [{destination: {host: db.example, port: {number: 5432}}}]}]

---

apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: everybody, namespace: one}

spec:
  host: db.example
  trafficPolicy: {connectionPool: {tcp: {idleTimeout: 60s}}}

`;

const CHOSEN = `apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: chosen, namespace: one}

spec:
  host: "*.example"
  workloadSelector: {matchLabels: {app: web}}
  trafficPolicy:
    connectionPool: {tcp: {idleTimeout: 5s, maxConnectionDuration: 7s}}
    tunnel: {protocol: POST, targetHost: inner.example, targetPort: 99}
    loadBalancer: {consistentHash: {useSourceIp: true}}

`;

Deno.test("the connection settings of a rule with a workload selector are served to the selected workloads", () => {
  const bench = startTranslation();
  bench.set(`${DATABASE}---\n${CHOSEN}---\n${SIDECAR}`);
  const binding = (namespace: string, labels: Record<string, string>): ProxyBinding =>
    bench.translation.source.bind(proxyNode(namespace, { labels }), () => {});
  const says = (at: ProxyBinding, name: string): string[] =>
    ['"idleTimeout":"60s"', '"idleTimeout":"5s"', '"7s"', "inner.example:99", '"sourceIp"']
      .filter((part) => text(at, name).includes(part));
  const chosen = ['"idleTimeout":"5s"', '"7s"', "inner.example:99", '"sourceIp"'];
  const web = binding("one", { app: "web" });
  for (const at of [web, binding("one", { app: "web", scoped: "yes" })]) {
    assert.deepEqual(says(at, "240.0.0.9_5432"), chosen);
    // Another host's listener has the settings of the destination.
    assert.deepEqual(says(at, "0.0.0.0_5000"), chosen);
  }
  const others = [
    binding("one", {}),
    binding("two", { app: "web" }),
    binding("one", { scoped: "yes" }),
  ];
  for (const at of others) {
    assert.deepEqual(says(at, "240.0.0.9_5432"), ['"idleTimeout":"60s"']);
    assert.deepEqual(says(at, "0.0.0.0_5000"), ['"idleTimeout":"60s"']);
  }
  const version = (at: ProxyBinding) => at.view(TYPE_URLS.listener)!.get("240.0.0.9_5432")!.version;
  const before = version(others[0]!);
  bench.set(CHOSEN.replace("5s", "6s"));
  assert.equal(version(others[0]!), before);
  assert.ok(text(web, "240.0.0.9_5432").includes('"idleTimeout":"6s"'));
  bench.remove("DestinationRule", "one/chosen");
  assert.equal(version(web), before);
});

Deno.test("connections to a service are hashed by the client's address where its rule says so", () => {
  const bench = startTranslation();
  const hashed = CHOSEN.replace("  workloadSelector: {matchLabels: {app: web}}\n", "");
  bench.set(`${DATABASE}---\n${hashed.replace('"*.example"', "front.example")}`);
  const binding = bench.translation.source.bind(proxyNode("one"), () => {});
  assert.ok(!text(binding, "240.0.0.9_5432").includes('"sourceIp"'));
  bench.set(hashed.replace('"*.example"', "db.example").replace("chosen", "everybody"));
  assert.ok(text(binding, "240.0.0.9_5432").includes('"sourceIp"'));
});
