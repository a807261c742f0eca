/**
 * Variables of the environment, as clusters and endpoints show them.
 */
import assert from "node:assert/strict";
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { create, fromBinary, toJson } from "../../../kit/proto/mod.ts";
import type { Features } from "../features.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const service = (name: string, more = "location: MESH_INTERNAL"): string =>
  `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: one}

spec:
  hosts: [${name}.example]
  ${more}
  resolution: STATIC
  ports: [{number: 80, name: main, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, locality: r1/z1}]

`;

const route = (name: string, gateway: string, to: string, more = ""): string =>
  `apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: ${name}, namespace: one}

spec:
  hosts: [${name}.example]
  gateways: [${gateway}]
  http: [{route: [{destination: {host: ${to}}}]${more}}]

`;

const EDGE = `apiVersion: networking.mesh.io/v1

kind: Gateway

metadata: {name: edge, namespace: one}

spec:
  selector: {app: edge}
  servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]

`;

const BUILT_IN = "BlackHoleCluster";

function gateway(features: Partial<Features>) {
  const providers = create(MeshConfigSchema, {
    extensionProviders: [{
      name: "asked",
      provider: {
        case: "dataproxyExtAuthzGrpc",
        value: { service: "one/asked.example", port: 80 },
      },
    }],
  });
  const bench = startTranslation(providers, { ...DEFAULT_FEATURES, ...features });
  const names = ["used", "mirrored", "asked", "elsewhere", "idle"];
  bench.set([EDGE, ...names.map((name) => service(name))].join("---\n"));
  bench.set([
    route("front", "edge", "used.example", ", mirror: {host: mirrored.example}"),
    route("inside", "mesh", "elsewhere.example"),
  ].join("---\n"));
  const binding = bench.translation.source.bind(
    proxyNode("one", { role: "router", metadata: { LABELS: { app: "edge" } } }),
    () => {},
  );
  const clusters = (): string[] =>
    [...binding.view(TYPE_URLS.cluster)!.entries()].map(({ name }) => name.split("|").at(-1)!)
      .sort();
  return { ...bench, binding, clusters };
}

Deno.test("PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: a gateway has what its routes and providers use", () => {
  const all = ["asked", "elsewhere", "idle", "mirrored", "used"].map((name) => `${name}.example`);
  assert.deepEqual(gateway({}).clusters(), [BUILT_IN, ...all].sort());
  const { clusters, set, remove } = gateway({ filterGatewayClusters: true });
  const used = [BUILT_IN, "asked.example", "mirrored.example", "used.example"];
  assert.deepEqual(clusters(), used);
  set(route("more", "edge", "idle.example"));
  assert.deepEqual(clusters(), [...used, "idle.example"].sort());
  remove("VirtualService", "one/more");
  assert.deepEqual(clusters(), used);
});

Deno.test("services that a gateway does not use do not change its clusters", () => {
  const { graph, set, clusters } = gateway({ filterGatewayClusters: true });
  clusters();
  const computed = () =>
    graph.costs().tables.filter(({ table }) => table === "gateway.clusterHosts")
      .reduce((sum, one) => sum + one.computed, 0);
  const before = computed();
  set(service("idle", "location: MESH_EXTERNAL"));
  clusters();
  assert.equal(computed(), before);
});

Deno.test("LABEL_CANONICAL_SERVICES_FOR_MESH_EXTERNAL_SERVICE_ENTRIES: external services have a canonical name", () => {
  const shown = (features: Partial<Features>, more: string) => {
    const bench = startTranslation(undefined, { ...DEFAULT_FEATURES, ...features });
    bench.set(service("partner", more));
    const binding = bench.translation.source.bind(proxyNode("one"), () => {});
    const name = "outbound|80||partner.example";
    const cluster: Cluster = fromBinary(
      ClusterSchema,
      binding.view(TYPE_URLS.cluster)!.get(name)!.bytes,
    );
    const { canonical_service, canonical_revision } = cluster.metadata?.filterMetadata.mesh ?? {};
    const bytes = binding.view(TYPE_URLS.endpoint)!.get(name)!.bytes;
    const text = JSON.stringify(
      toJson(ClusterLoadAssignmentSchema, fromBinary(ClusterLoadAssignmentSchema, bytes)),
    );
    return [canonical_service, canonical_revision, /"workload":"([^"]*)"/.exec(text)?.[1]];
  };
  const on = { canonicalOutside: true };
  assert.deepEqual(
    shown(on, "location: MESH_EXTERNAL"),
    ["partner.example", "latest", "partner;one;partner.example;latest"],
  );
  assert.deepEqual(
    shown({}, "location: MESH_EXTERNAL"),
    [undefined, undefined, "partner;one;partner;latest"],
  );
  assert.deepEqual(
    shown(on, "location: MESH_INTERNAL"),
    [undefined, undefined, "partner;one;partner;latest"],
  );
});

Deno.test("PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES: the rule's TLS, or what endpoints say", () => {
  const sockets = (features: Partial<Features>): unknown => {
    const bench = startTranslation(undefined, { ...DEFAULT_FEATURES, ...features });
    bench.set([
      service("partner", "location: MESH_EXTERNAL"),
      `apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: partner, namespace: one}

spec: {host: partner.example, trafficPolicy: {tls: {mode: SIMPLE, caCertificates: /ca}}}

`,
    ].join("---\n"));
    const files = Object.fromEntries(
      ["CERT_CHAIN", "KEY", "ROOT_CERT"].map((name) => [`TLS_CLIENT_${name}`, "/file"]),
    );
    const binding = bench.translation.source.bind(proxyNode("one", { metadata: files }), () => {});
    const { bytes } = binding.view(TYPE_URLS.cluster)!.get("outbound|80||partner.example")!;
    const { transportSocket, transportSocketMatches } = fromBinary(ClusterSchema, bytes);
    return [
      transportSocket?.name,
      ...transportSocketMatches.map(({ name, transportSocket: one }) => [name, one?.name]),
    ];
  };
  const tls = "envoy.transport_sockets.tls";
  assert.deepEqual(sockets({}), [tls]);
  assert.deepEqual(sockets({ preferRuleTls: false }), [
    undefined,
    ["tlsMode-mesh", tls],
    ["tlsMode-disabled", tls],
  ]);
});
