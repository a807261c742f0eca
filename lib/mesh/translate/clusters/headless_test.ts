/** Headless services with known instances: a listener for each instance. */
import assert from "node:assert/strict";
import {
  type Cluster_DiscoveryType,
  Cluster_DiscoveryType as Type,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { fromBinary, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import type { Features } from "../features.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const headless = (name: string, more = ""): string =>
  `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: one}

spec:
  hosts: [${name}.example]
  resolution: NONE
  ports: [{number: 90, name: tcp, protocol: TCP}, {number: 80, name: http, protocol: HTTP}${more}]
  workloadSelector: {labels: {app: db}}

`;

const workload = (name: string, address: string): string =>
  `apiVersion: networking.mesh.io/v1

kind: WorkloadEntry

metadata: {name: ${name}, namespace: one}

spec: {address: ${address}, labels: {app: db}}

`;

const SIDECAR = `apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: own, namespace: one}

spec:
  workloadSelector: {labels: {scoped: "yes"}}
  egress: [{hosts: ["./*"]}]

`;

function start(features: Partial<Features> = {}, ...documents: string[]) {
  const bench = startTranslation(undefined, { ...DEFAULT_FEATURES, ...features });
  bench.set(documents.join("---\n"));
  const binding = (more: Parameters<typeof proxyNode>[1] = {}): ProxyBinding =>
    bench.translation.source.bind(proxyNode("one", more), () => {});
  return { bench, binding };
}

/** Names of the listeners at a port, without those of the proxy itself. */
function listeners(binding: ProxyBinding, port = 90): string[] {
  return [...binding.view(TYPE_URLS.listener)!.entries()].map(({ name }) => name)
    .filter((name) => name.endsWith(`_${port}`)).sort();
}

Deno.test("each instance of a headless service has a listener, and they come and go with it", () => {
  const { bench, binding } = start({}, headless("db"), workload("w1", "10.0.0.1"), SIDECAR);
  const [plain, scoped] = [binding(), binding({ labels: { scoped: "yes" } })];
  for (const one of [plain, scoped]) assert.deepEqual(listeners(one), ["10.0.0.1_90"]);
  bench.set(workload("w2", "10.0.0.2"));
  for (const one of [plain, scoped]) {
    assert.deepEqual(listeners(one), ["10.0.0.1_90", "10.0.0.2_90"]);
  }
  const revision = bench.remove("WorkloadEntry", "one/w1");
  for (const one of [plain, scoped]) {
    assert.deepEqual(listeners(one), ["10.0.0.2_90"]);
    assert.deepEqual(one.view(TYPE_URLS.listener)!.since(revision)?.removed, ["10.0.0.1_90"]);
  }
  // HTTP is distinguished by the host of requests at any address.
  assert.deepEqual(listeners(plain, 80), ["0.0.0.0_80"]);
});

Deno.test("an instance of several headless services has the listener of the first by name", () => {
  const { binding } = start({}, headless("db"), headless("copy"), workload("w1", "10.0.0.1"));
  const view = binding().view(TYPE_URLS.listener)!;
  const all = [...view.entries()].filter(({ name }) => name === "10.0.0.1_90");
  assert.equal(all.length, 1);
  const json = toJson(ListenerSchema, fromBinary(ListenerSchema, all[0]!.bytes), {
    registry: SERVED_TYPES,
  });
  assert.match(JSON.stringify(json), /"cluster":"outbound\|90\|\|copy\.example"/);
});

Deno.test("without interception a headless service has the listener of its port", () => {
  const { binding } = start({}, headless("db"), workload("w1", "10.0.0.1"));
  const bound = binding({ metadata: { INTERCEPTION_MODE: "NONE" } });
  assert.deepEqual(listeners(bound), ["127.0.0.1_90"]);
});

Deno.test("clusters of headless services are of endpoints where a switch says so", () => {
  const typeOf = (
    features: Partial<Features>,
    role: "sidecar" | "router",
  ): Cluster_DiscoveryType => {
    const { binding } = start(features, headless("db"), workload("w1", "10.0.0.1"));
    const { bytes } = binding({ role }).view(TYPE_URLS.cluster)!.get("outbound|90||db.example")!;
    const { clusterDiscoveryType } = fromBinary(ClusterSchema, bytes);
    assert.ok(clusterDiscoveryType.case === "type");
    return clusterDiscoveryType.value;
  };
  assert.equal(typeOf({}, "sidecar"), Type.ORIGINAL_DST);
  assert.equal(typeOf({ headlessEds: true }, "sidecar"), Type.EDS);
  assert.equal(typeOf({}, "router"), Type.EDS);
});

/** A proxy of the namespace at an address. */
function at(...ips: string[]): Parameters<typeof proxyNode>[1] {
  return { ip: ips[0]!, ips };
}

for (
  const [family, own, other] of [["IPv4", "10.0.0.1", "10.0.0.2"], ["IPv6", "fd00::1", "fd00::2"]]
) {
  Deno.test(`a proxy has no listener at its own address: ${family}`, () => {
    const { bench, binding } = start({}, headless("db"), workload("w1", own!), SIDECAR);
    const [plain, scoped] = [
      binding(at(own!)),
      binding({ ...at(own!), labels: { scoped: "yes" } }),
    ];
    const peer = binding(at(other!));
    for (const one of [plain, scoped]) assert.deepEqual(listeners(one), []);
    assert.deepEqual(listeners(peer), [`${own}_90`]);
    bench.set(workload("w2", other!));
    for (const one of [plain, scoped]) assert.deepEqual(listeners(one), [`${other}_90`]);
    assert.deepEqual(listeners(peer), [`${own}_90`]);
    const clusters = [plain, peer].map((one) => one.view(TYPE_URLS.cluster)!);
    for (const view of clusters) assert.ok(view.get("outbound|90||db.example") !== undefined);
    assert.deepEqual(listeners(plain, 80).length, 1);
  });
}

Deno.test("a proxy with two addresses has a listener at neither", () => {
  const both = [workload("w1", "10.0.0.1"), workload("w2", "fd00::1"), workload("w3", "fd00::2")];
  const { binding } = start({ dualStack: true }, headless("db"), ...both);
  assert.deepEqual(listeners(binding(at("10.0.0.1", "fd00::1"))), ["fd00::2_90"]);
});

Deno.test("a proxy's own listener comes and goes with the service and the instance", () => {
  const { bench, binding } = start({}, headless("db"), workload("w1", "10.0.0.1"));
  let rebound = 0;
  const own = bench.translation.source.bind(proxyNode("one", at("10.0.0.1")), () => rebound++);
  const peer = binding();
  // The address belongs to another pod: the proxy at it does not serve it.
  bench.set(workload("w1", "10.0.0.9"));
  assert.deepEqual(listeners(own), ["10.0.0.9_90"]);
  bench.set(workload("w1", "10.0.0.1"));
  assert.deepEqual([listeners(own), listeners(peer)], [[], ["10.0.0.1_90"]]);
  assert.equal(rebound, 2);
  bench.remove("ServiceEntry", "one/db");
  assert.deepEqual(listeners(own), []);
  assert.equal(rebound, 3);
});

Deno.test("replicas of a headless service share all layers but the names that each lacks", () => {
  const { bench, binding } = start(
    {},
    headless("db"),
    workload("w1", "10.0.0.1"),
    workload("w2", "10.0.0.2"),
  );
  const [a, b] = [binding(at("10.0.0.1")), binding(at("10.0.0.2"))];
  const layers = [a, b].map((one) => one.view(TYPE_URLS.listener)!.layers);
  const shared = layers[0]!.filter((layer) => layers[1]!.includes(layer));
  assert.deepEqual(layers.map((all) => all.length - shared.length), [1, 1]);
  assert.equal(a.classKey, b.classKey);
  for (const type of ["cluster", "endpoint", "route"] as const) {
    assert.equal(a.view(TYPE_URLS[type]), b.view(TYPE_URLS[type]));
  }
  assert.deepEqual([a, b].map((one) => listeners(one)), [["10.0.0.2_90"], ["10.0.0.1_90"]]);
  // A new instance costs one listener, for both, and is sent to both as one resource.
  bench.graph.resetStats();
  const before = bench.set(workload("w3", "10.0.0.3"));
  for (const one of [a, b]) {
    const delta = one.view(TYPE_URLS.listener)!.since(before)!;
    assert.deepEqual([delta.changed.map(({ name }) => name), delta.removed], [["10.0.0.3_90"], []]);
  }
  assert.equal(bench.graph.stats().computedByTable["lds.hidden"] ?? 0, 0);
});

Deno.test("a virtual address of a service keeps its listener at the proxy that has it", () => {
  const fixed = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: fixed, namespace: one}
spec:
  hosts: [fixed.example]
  addresses: [10.0.0.1]
  resolution: NONE
  ports: [{number: 90, name: tcp, protocol: TCP}]
`;
  const { binding } = start({}, headless("db"), fixed, workload("w1", "10.0.0.1"));
  assert.deepEqual(listeners(binding(at("10.0.0.1"))), ["10.0.0.1_90"]);
});
