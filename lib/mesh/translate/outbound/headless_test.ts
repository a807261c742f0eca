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
import type { Features } from "../context/mod.ts";
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
