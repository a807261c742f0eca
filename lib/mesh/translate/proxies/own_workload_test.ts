/** The pod, Node or WorkloadEntry of a proxy decides about its labels and its locality. */
import assert from "node:assert/strict";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  everything,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { ConfigObject, ProxyBinding, ProxyClass, ProxyNode } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

interface PodInput {
  readonly name?: string;
  readonly namespace?: string;
  readonly address?: string;
  readonly labels?: Record<string, string>;
  readonly locality?: string;
  readonly cluster?: string;
  readonly health?: "healthy" | "unhealthy";
  readonly unselectable?: true;
}

/** Sets the row of a pod, as the registry makes it. */
function setPod(bench: Bench, input: PodInput = {}): void {
  const { name = "proxy", namespace = "one", address = "172.16.0.1", locality = "" } = input;
  const { labels = {}, health = "healthy", cluster, unselectable } = input;
  const full = cluster === undefined ? name : `${name}@${cluster}`;
  const [entry] = objectsOf(`apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: ${name}, namespace: ${namespace}, labels: ${JSON.stringify(labels)}}
spec: {address: ${address}, locality: "${locality}"}
`);
  const origin = { source: "cluster", ...(cluster === undefined ? {} : { cluster }) };
  const object: ConfigObject = {
    ...entry!,
    meta: { ...entry!.meta, kind: "Pod", name: full, origin },
    pod: { health, namespace, workload: name, hostname: "", node: "n1", pod: true },
    ...(unselectable === undefined ? {} : { unselectable }),
    digest: JSON.stringify(input),
  };
  const key = `${namespace}/pod:${full}`;
  bench.apply({ objects: [{ kind: "WorkloadEntry", key, object }] });
}

/** A Service in a remote cluster, which makes the cluster known. */
function setRemote(bench: Bench, cluster: string): void {
  const [object] = objectsOf(entry("remote"));
  const { meta } = object!;
  const origin = { source: `cluster/${cluster}`, cluster };
  const remote = { ...object!, meta: { ...meta, name: `remote@${cluster}`, origin } };
  bench.apply({ objects: [changeOf(remote)] });
}

const entry = (name: string) =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one}
spec:
  hosts: [${name}.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, locality: r1/z1}, {address: 10.0.0.2, locality: r2/z2}]
`;

const OUTLIERS = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: one}
spec: {host: web.example, trafficPolicy: {outlierDetection: {consecutive5xxErrors: 1}}}
`;

function labelsOf(binding: ProxyBinding): unknown {
  return (JSON.parse(binding.classKey) as Pick<ProxyClass, "labels">).labels;
}

/** The address that a proxy prefers; empty: none. */
function preferred(binding: ProxyBinding): string {
  const resource = binding.view(TYPE_URLS.endpoint)!.get("outbound|80||web.example")!;
  const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, resource.bytes);
  if (endpoints.every(({ priority }) => priority === 0)) return "";
  const host = endpoints.find(({ priority }) => priority === 0)!.lbEndpoints[0]!.hostIdentifier;
  const address = host.case === "endpoint" ? host.value.address?.address : undefined;
  return address?.case === "socketAddress" ? address.value.address : "";
}

function start(): Bench {
  const bench = startTranslation();
  bench.set(entry("web"));
  bench.set(OUTLIERS);
  return bench;
}

Deno.test("the labels of the pod count, over those that the proxy says; its environment adds some", () => {
  const bench = start();
  const metadata = { STATIC_LABELS: { tier: "a", app: "old" } };
  const node = proxyNode("one", { labels: { app: "old", gone: "yes" }, metadata });
  let moved = 0;
  const binding = bench.translation.source.bind(node, () => moved++);
  assert.deepEqual(labelsOf(binding), { app: "old", gone: "yes" });
  setPod(bench, { labels: { app: "web" } });
  assert.deepEqual(labelsOf(binding), { app: "web", tier: "a" });
  setPod(bench, { labels: { app: "web", version: "v2" } });
  assert.deepEqual(labelsOf(binding), { app: "web", tier: "a", version: "v2" });
  assert.equal(moved, 2);
});

Deno.test("a changed status of the pod computes nothing of the proxy", () => {
  const bench = start();
  setPod(bench, { labels: { app: "web" } });
  let moved = 0;
  const binding = bench.translation.source.bind(proxyNode("one"), () => moved++);
  assert.ok(Object.keys(everything(binding).cluster!).length > 0);
  bench.graph.resetStats();
  setPod(bench, { labels: { app: "web" }, health: "unhealthy" });
  const { computedByTable } = bench.graph.stats();
  const ran = Object.entries(computedByTable).filter(([, n]) => n > 0);
  assert.deepEqual(Object.fromEntries(ran), { "workload.own": 1, "targets": 1 });
  assert.equal(moved, 0);
});

Deno.test("a proxy prefers the endpoints of its Node's zone, and follows changes of it", () => {
  const bench = start();
  setPod(bench);
  const said = { locality: { region: "r2", zone: "z2", subzone: "" } };
  const kinds: Partial<ProxyNode>[] = [
    { role: "sidecar" },
    { role: "router" },
    { metadata: { GENERATOR: "grpc" } },
  ];
  for (const kind of kinds) {
    const binding = bench.translation.source.bind(proxyNode("one", { ...kind, ...said }), () => {});
    assert.equal(preferred(binding), "10.0.0.2", "what the proxy says, as its Node has no labels");
    setPod(bench, { locality: "r1/z1" });
    assert.equal(preferred(binding), "10.0.0.1");
    setPod(bench, { locality: "r2/z2" });
    assert.equal(preferred(binding), "10.0.0.2");
    setPod(bench);
  }
});

const FOUND: readonly {
  readonly what: string;
  readonly pods: readonly PodInput[];
  readonly node?: Parameters<typeof proxyNode>[1];
  readonly expected: string;
}[] = [
  { what: "a pod of its name", pods: [{ labels: { app: "a" } }], expected: "a" },
  {
    what: "a pod that ServiceEntries do not select",
    pods: [{ labels: { app: "a" }, unselectable: true }],
    expected: "a",
  },
  {
    what: "a pod of its name, before one with its address",
    pods: [{ labels: { app: "a" }, address: "10.9.9.9" }, { name: "b", labels: { app: "b" } }],
    expected: "a",
  },
  {
    what: "the only pod with its first address",
    pods: [{ name: "other", labels: { app: "a" } }],
    expected: "a",
  },
  {
    what: "none of several pods with its address",
    pods: [{ name: "b", labels: { app: "b" } }, { name: "c", labels: { app: "c" } }],
    expected: "said",
  },
  {
    what: "no pod of another namespace",
    pods: [{ namespace: "two", labels: { app: "a" } }],
    expected: "said",
  },
  {
    what: "the pod of its own cluster",
    pods: [{ labels: { app: "a" } }, { labels: { app: "b" }, cluster: "c2" }],
    node: { metadata: { CLUSTER_ID: "c2" } },
    expected: "b",
  },
  {
    what: "no pod of another cluster",
    pods: [{ labels: { app: "a" } }],
    node: { metadata: { CLUSTER_ID: "c2" } },
    expected: "said",
  },
  {
    what: "a pod of the daemon's cluster, for a cluster that is not known",
    pods: [{ labels: { app: "a" } }],
    node: { metadata: { CLUSTER_ID: "unknown" } },
    expected: "a",
  },
];

for (const { what, pods, node, expected } of FOUND) {
  Deno.test(`the workload of a proxy: ${what}`, () => {
    const bench = start();
    setRemote(bench, "c2");
    for (const pod of pods) setPod(bench, pod);
    const proxy = proxyNode("one", { labels: { app: "said" }, ...node });
    const labels = labelsOf(bench.translation.source.bind(proxy, () => {}));
    assert.equal((labels as Record<string, string>).app, expected);
  });
}

Deno.test("without a pod, the WorkloadEntry in its namespace with its address has the locality", () => {
  const machine = (namespace: string, locality: string) =>
    `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: vm, namespace: ${namespace}}
spec: {address: 172.16.0.9, labels: {app: vm}, locality: "${locality}"}
`;
  const bench = start();
  const node = proxyNode("one", { ips: ["172.16.0.1", "172.16.0.9"], labels: { app: "said" } });
  const binding = bench.translation.source.bind(node, () => {});
  bench.set(machine("two", "r2/z2"));
  assert.equal(preferred(binding), "");
  bench.set(machine("one", "r1/z1"));
  assert.equal(preferred(binding), "10.0.0.1");
  assert.deepEqual(labelsOf(binding), { app: "said" });
});

Deno.test("proxies of several zones are of one class, and share all until an order depends on it", () => {
  const bench = startTranslation();
  bench.set(entry("web"));
  setPod(bench, { name: "a", address: "172.16.0.1", locality: "r1/z1" });
  setPod(bench, { name: "b", address: "172.16.0.2", locality: "r2/z2" });
  const [a, b] = ["a", "b"].map((name, i) => {
    const ip = `172.16.0.${i + 1}`;
    return bench.translation.source.bind(proxyNode("one", { name, ip }), () => {});
  });
  assert.equal(a!.classKey, b!.classKey);
  const hosts = bench.graph.stats().computedByTable["locality.hosts"] ?? 0;
  assert.equal(hosts, 0, "no host is looked at as long as no rule asks for localities");
  bench.set(OUTLIERS);
  assert.deepEqual([preferred(a!), preferred(b!)], ["10.0.0.1", "10.0.0.2"]);
});
