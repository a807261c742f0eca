/** Localities of proxies: sharing of resources, and computations of an edit. */
import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { create, fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const service = (name: string, second = "10.0.0.2", network = "") =>
  `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: one}

spec:
  hosts: [${name}.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints:
  - {address: 10.0.0.1, locality: r1/z1}
  - {address: ${second}, locality: r2/z1, labels: {security.mesh.io/tlsMode: mesh}, network: "${network}"}

`;

const rule = (name: string, policy: string) =>
  `apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: ${name}, namespace: one}

spec: {host: ${name}.example, trafficPolicy: {${policy}}}

`;

const OUTLIERS = "outlierDetection: {consecutive5xxErrors: 1}";

const at = (region: string, more: Parameters<typeof proxyNode>[1] = {}): ProxyNode =>
  proxyNode("one", { locality: { region, zone: "z1", subzone: "" }, ...more });

/** Address → priority, of a service's assignment. */
function prioritiesOf(binding: ProxyBinding, name: string): Record<string, number> {
  const resource = binding.view(TYPE_URLS.endpoint)!.get(`outbound|80||${name}.example`)!;
  const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, resource.bytes);
  return Object.fromEntries(
    endpoints.flatMap(({ priority, lbEndpoints }) =>
      lbEndpoints.map(({ hostIdentifier: host }) => {
        const address = host.case === "endpoint" ? host.value.address?.address : undefined;
        return [address?.case === "socketAddress" ? address.value.address : "", priority];
      })
    ),
  );
}

const bytesOf = (binding: ProxyBinding, name: string): Uint8Array =>
  binding.view(TYPE_URLS.endpoint)!.get(`outbound|80||${name}.example`)!.bytes;

Deno.test("proxies share equal assignments across localities, and all assignments within a locality", () => {
  const bench = startTranslation();
  bench.set(service("plain"));
  bench.set(service("watched"));
  bench.set(rule("watched", OUTLIERS));
  const [nowhere, first, again, second] = [
    proxyNode("one"),
    at("r1", { labels: { app: "a" } }),
    at("r1", { labels: { app: "b" } }),
    at("r2"),
  ].map((node) => bench.translation.source.bind(node, () => {}));
  for (const binding of [first!, again!, second!]) {
    assert.equal(bytesOf(binding, "plain"), bytesOf(nowhere!, "plain"));
  }
  assert.equal(bytesOf(first!, "watched"), bytesOf(again!, "watched"));
  assert.deepEqual(prioritiesOf(nowhere!, "watched"), { "10.0.0.1": 0, "10.0.0.2": 0 });
  assert.deepEqual(prioritiesOf(first!, "watched"), { "10.0.0.1": 0, "10.0.0.2": 1 });
  assert.deepEqual(prioritiesOf(second!, "watched"), { "10.0.0.1": 1, "10.0.0.2": 0 });
});

Deno.test("a changed endpoint computes only its own assignments, once for each locality", () => {
  const bench = startTranslation();
  for (let i = 0; i < 50; i++) {
    bench.set(service(`s${i}`));
    if (i % 2 === 0) bench.set(rule(`s${i}`, OUTLIERS));
  }
  const nodes = [proxyNode("one"), at("r1"), at("r1", { labels: { app: "b" } }), at("r2")];
  const bindings = nodes.map((node) => bench.translation.source.bind(node, () => {}));
  for (const binding of bindings) {
    assert.equal(binding.view(TYPE_URLS.endpoint)!.size, 50);
    assert.ok(binding.view(TYPE_URLS.cluster)!.size > 50);
  }
  const costOf = (name: string) => {
    bench.graph.resetStats();
    bench.set(service(name, "10.0.0.9"));
    const { computedByTable } = bench.graph.stats();
    return ["eds.content", "eds.placed", "place.hosts", "cds.content"].map((table) =>
      computedByTable[table] ?? 0
    );
  };
  assert.deepEqual(costOf("s1"), [1, 0, 0, 0]);
  // No locality, and two localities.
  assert.deepEqual(costOf("s2"), [3, 2, 0, 0]);
});

Deno.test("a proxy moves when a rule begins to look at its labels", () => {
  const bench = startTranslation();
  bench.set(service("with-label"));
  let moves = 0;
  const binding = bench.translation.source.bind(
    proxyNode("one", { labels: { v: "1" } }),
    () => moves++,
  );
  bench.set(rule("with-label", OUTLIERS));
  assert.equal(moves, 0);
  const by = "security.mesh.io/tlsMode=mesh";
  bench.set(
    rule(
      "with-label",
      `${OUTLIERS}, loadBalancer: {localityLbSetting: {failoverPriority: [v, "${by}"]}}`,
    ),
  );
  assert.equal(moves, 1);
  assert.deepEqual(prioritiesOf(binding, "with-label"), { "10.0.0.1": 0, "10.0.0.2": 0 });
  bench.set(
    rule(
      "with-label",
      `${OUTLIERS}, loadBalancer: {localityLbSetting: {failoverPriority: ["v=1", "${by}"]}}`,
    ),
  );
  assert.equal(moves, 1, "the same label is looked at");
});

Deno.test("the mesh's setting counts where a rule has none", () => {
  const config = testMeshConfig();
  const bench = startTranslation(config);
  bench.set(service("a"));
  bench.set(rule("a", OUTLIERS));
  const binding = bench.translation.source.bind(at("r1"), () => {});
  assert.deepEqual(prioritiesOf(binding, "a"), { "10.0.0.1": 0, "10.0.0.2": 1 });
  const set = (localityLbSetting: object): void =>
    void bench.apply({ mesh: { ...config, localityLbSetting } as typeof config });
  set({ enabled: false, distribute: [], failover: [], failoverPriority: [] });
  assert.deepEqual(prioritiesOf(binding, "a"), { "10.0.0.1": 0, "10.0.0.2": 0 });
  set({
    enabled: true,
    distribute: [{ from: "r1", to: { r2: 100 } }],
    failover: [],
    failoverPriority: [],
  });
  assert.deepEqual(prioritiesOf(binding, "a"), { "10.0.0.2": 0 });
});

Deno.test("networks appear, and their endpoints are reached by gateways", () => {
  const bench = startTranslation();
  bench.set(service("plain"));
  bench.set(service("far", "10.0.0.2", "two"));
  bench.set(service("ranged", "10.7.0.2"));
  let moves = 0;
  const near = bench.translation.source.bind(
    proxyNode("one", { metadata: { NETWORK: "one" } }),
    () => moves++,
  );
  const nowhere = bench.translation.source.bind(proxyNode("one"), () => {});
  assert.deepEqual(Object.keys(prioritiesOf(near, "far")), ["10.0.0.1", "10.0.0.2"]);
  bench.apply({
    networks: create(MeshNetworksSchema, {
      networks: {
        two: {
          endpoints: [{ ne: { case: "fromCidr", value: "10.7.0.0/16" } }],
          gateways: [{ gw: { case: "address", value: "192.0.2.7" }, port: 15443 }],
        },
      },
    }),
  });
  assert.equal(moves, 1);
  assert.deepEqual(Object.keys(prioritiesOf(near, "far")), ["10.0.0.1", "192.0.2.7"]);
  assert.deepEqual(Object.keys(prioritiesOf(near, "ranged")), ["10.0.0.1", "192.0.2.7"]);
  assert.deepEqual(Object.keys(prioritiesOf(nowhere, "far")), ["10.0.0.1", "10.0.0.2"]);
  assert.equal(bytesOf(near, "plain"), bytesOf(nowhere, "plain"));
});

/** Limits of connections of a service's cluster. */
function limitOf(binding: ProxyBinding, name: string): number | undefined {
  const { bytes } = binding.view(TYPE_URLS.cluster)!.get(`outbound|80||${name}.example`)!;
  return fromBinary(ClusterSchema, bytes).circuitBreakers?.thresholds[0]?.maxConnections;
}

Deno.test("a rule for workloads of certain labels goes before all others, for them alone", () => {
  const bench = startTranslation();
  bench.set(service("a"));
  const limit = (max: number) => `connectionPool: {tcp: {maxConnections: ${max}}}`;
  bench.set(rule("a", limit(1)));
  let moves = 0;
  const [chosen, other, elsewhere] = [
    proxyNode("one", { labels: { app: "chosen", v: "1" } }),
    proxyNode("one", { labels: { app: "other" } }),
    proxyNode("two", { labels: { app: "chosen" } }),
  ].map((node) => bench.translation.source.bind(node, () => moves++));
  const limits = () => [chosen, other, elsewhere].map((binding) => limitOf(binding!, "a"));
  assert.deepEqual(limits(), [1, 1, 1]);
  const selecting = (host: string, max: number) =>
    `apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: selecting, namespace: one}

spec:
  host: "${host}"
  exportTo: ["."]
  workloadSelector: {matchLabels: {app: chosen}}
  trafficPolicy: {${limit(max)}}

`;
  bench.set(selecting("a.example", 2));
  assert.deepEqual(limits(), [2, 1, 1]);
  assert.equal(moves, 1);
  bench.set(selecting("*.example", 3));
  assert.deepEqual(limits(), [3, 1, 1]);
  assert.equal(moves, 1, "the rule is the same");
  bench.remove("DestinationRule", "one/selecting");
  assert.deepEqual(limits(), [1, 1, 1]);
  assert.equal(moves, 2);
});

Deno.test("a gateway that sends on by server name sends to its own network alone", () => {
  const bench = startTranslation();
  const gateways = (network: string, address: string) => ({
    [network]: { gateways: [{ gw: { case: "address" as const, value: address }, port: 15443 }] },
  });
  bench.apply({
    networks: create(MeshNetworksSchema, {
      networks: { ...gateways("one", "192.0.2.1"), ...gateways("two", "192.0.2.2") },
    }),
  });
  bench.set(service("far", "10.0.0.2", "two"));
  bench.set(`apiVersion: networking.mesh.io/v1

kind: Gateway

metadata: {name: between, namespace: one}

spec:
  selector: {app: between}
  servers:
  - port: {number: 15443, name: tls, protocol: TLS}
    hosts: ["*.example"]
    tls: {mode: AUTO_PASSTHROUGH}

`);
  const behind = (network: string): string[] => {
    const binding = bench.translation.source.bind(
      proxyNode("one", {
        role: "router",
        labels: { app: "between" },
        metadata: { NETWORK: network },
      }),
      () => {},
    );
    const name = "outbound_.80_._.far.example";
    const { bytes } = binding.view(TYPE_URLS.endpoint)!.get(name)!;
    return addressesOf(bytes);
  };
  // Endpoints without network are reachable by all.
  assert.deepEqual(behind("two"), ["10.0.0.1", "10.0.0.2"]);
  assert.deepEqual(behind("one"), ["10.0.0.1"]);
  assert.deepEqual(behind(""), ["10.0.0.1", "10.0.0.2"]);
});

function addressesOf(bytes: Uint8Array): string[] {
  return fromBinary(ClusterLoadAssignmentSchema, bytes).endpoints.flatMap(({ lbEndpoints }) =>
    lbEndpoints.map(({ hostIdentifier: host }) => {
      const address = host.case === "endpoint" ? host.value.address?.address : undefined;
      return address?.case === "socketAddress" ? address.value.address : "";
    })
  );
}

Deno.test("a service that prefers near endpoints orders them without a rule; a rule replaces that", () => {
  const bench = startTranslation();
  const annotation = "annotations: {networking.mesh.io/traffic-distribution: PreferSameZone}";
  bench.set(service("near").replace("namespace: one}", `namespace: one, ${annotation}}`));
  bench.set(service("plain"));
  const [first, second] = [at("r1"), at("r2")]
    .map((node) => bench.translation.source.bind(node, () => {}));
  assert.deepEqual(prioritiesOf(first!, "near"), { "10.0.0.1": 0, "10.0.0.2": 1 });
  assert.deepEqual(prioritiesOf(second!, "near"), { "10.0.0.1": 1, "10.0.0.2": 0 });
  assert.equal(bytesOf(first!, "plain"), bytesOf(second!, "plain"));
  bench.set(rule("near", "loadBalancer: {localityLbSetting: {enabled: false}}"));
  assert.deepEqual(prioritiesOf(first!, "near"), { "10.0.0.1": 0, "10.0.0.2": 0 });
});
