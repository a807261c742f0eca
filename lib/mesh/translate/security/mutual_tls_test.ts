/** Mutual TLS of clients: the endpoints that take it, and the identities that servers may have. */
import assert from "node:assert/strict";
import {
  type Cluster,
  Cluster_DiscoveryType as Type,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { objectsOf, serviceFacts, testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { EndpointFacts, ProxyBinding, ServiceFacts } from "../../model/mod.ts";
import { clone, fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const HOST = "db.shop.svc.cluster.local";
const FILES = Object.fromEntries(
  ["CERT_CHAIN", "KEY", "ROOT_CERT"].map((name) => [`TLS_CLIENT_${name}`, "/file"]),
);
const SIDECAR = "{security.mesh.io/tlsMode: mesh, app: db}";
const PLAIN = "{app: db}";

/** A pod or another endpoint: labels and account, as YAML. */
interface Instance {
  readonly labels: string;
  readonly account?: string;
  readonly pod?: boolean;
  readonly health?: EndpointFacts["health"];
}

interface Defined {
  readonly facts?: Partial<ServiceFacts>;
  /** Fields of the ServiceEntry. */
  readonly more?: string;
  readonly location?: string;
  /** True: a ServiceEntry without facts of an orchestrator. */
  readonly plain?: boolean;
}

/** Sets the service: of an orchestrator unless it is said to be a ServiceEntry. */
function setService(bench: Bench, instances: readonly Instance[], defined: Defined = {}): void {
  const { facts = {}, more = "addresses: [10.96.0.1]", location = "MESH_INTERNAL" } = defined;
  const endpoints = instances.map(({ labels, account = "" }, i) =>
    `{address: 10.1.0.${i + 1}, labels: ${labels}, serviceAccount: "${account}", ports: {tcp: 90}}`
  );
  const [object] = objectsOf(`apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: db, namespace: shop}
spec:
  hosts: [${HOST}]
  location: ${location}
  resolution: STATIC
  ${more}
  ports: [{number: 90, name: tcp, protocol: TCP}]
  endpoints: [${endpoints}]
`);
  const change = changeOf(object!);
  const service = defined.plain === true ? undefined : serviceFacts({
    endpoints: instances.map(({ pod = true, health = "healthy" }) => ({
      health,
      namespace: "shop",
      workload: "db",
      hostname: "",
      node: "",
      pod,
    })),
    ...facts,
  });
  const digest = JSON.stringify([service, endpoints, more, location]);
  const spec = clone(ServiceEntrySchema, change.object!.spec as ServiceEntry);
  if (service?.headless === true) spec.resolution = ServiceEntry_Resolution.NONE;
  const rest = service === undefined ? {} : { service };
  bench.apply({ objects: [{ ...change, object: { ...change.object!, spec, ...rest, digest } }] });
}

const HEADLESS: Defined = { more: "", facts: { headless: true } };

function start(instances: readonly Instance[], defined?: Defined, role?: "router") {
  const bench = startTranslation(testMeshConfig(), DEFAULT_FEATURES);
  setService(bench, instances, defined);
  const more = { metadata: FILES, ...(role === undefined ? {} : { role }) };
  return { bench, binding: bench.translation.source.bind(proxyNode("shop", more), () => {}) };
}

function clusterOf(binding: ProxyBinding): Cluster {
  const { bytes } = binding.view(TYPE_URLS.cluster)!.get(`outbound|90||${HOST}`)!;
  return fromBinary(ClusterSchema, bytes);
}

/** For each endpoint if clients speak mutual TLS to it. */
function declared(binding: ProxyBinding): boolean[] {
  const { bytes } = binding.view(TYPE_URLS.endpoint)!.get(`outbound|90||${HOST}`)!;
  return fromBinary(ClusterLoadAssignmentSchema, bytes).endpoints.flatMap(({ lbEndpoints }) =>
    lbEndpoints.map(({ metadata }) =>
      metadata?.filterMetadata["envoy.transport_socket_match"]?.tlsMode === "mesh"
    )
  );
}

/** The identities that clients expect; `undefined`: the whole cluster is plain text. */
function expected(cluster: Cluster): string[] | undefined {
  const { transportSocket, transportSocketMatches: [first] } = cluster;
  const config = (first?.transportSocket ?? transportSocket)?.configType.value;
  if (config === undefined) return undefined;
  const { commonTlsContext } = fromBinary(UpstreamTlsContextSchema, config.value);
  const validation = commonTlsContext?.validationContextType;
  assert.ok(validation?.case === "combinedValidationContext");
  const names = validation.value.defaultValidationContext?.matchTypedSubjectAltNames ?? [];
  return names.map(({ matcher }) => String(matcher?.matchPattern.value));
}

const id = (account: string): string => `spiffe://cluster.local/ns/shop/sa/${account}`;

const disabled = (selector: string, ports = ""): string =>
  `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: own, namespace: shop}
spec: {selector: {matchLabels: {${selector}}}, mtls: {mode: ${
    ports === "" ? "DISABLE" : "STRICT"
  }}${ports}}
`;

Deno.test("pods with the label take mutual TLS, whatever their account is", () => {
  const { binding } = start([
    { labels: SIDECAR, account: "db" },
    { labels: PLAIN, account: "db" },
    { labels: "{security.mesh.io/tlsMode: disabled}", account: "db" },
    { labels: SIDECAR },
    // An address without a pod has neither.
    { labels: "{}", pod: false },
  ]);
  assert.deepEqual(declared(binding), [true, false, false, true, false]);
});

Deno.test("endpoints of ServiceEntries with an account take it, unless the label says no", () => {
  const { binding } = start([
    { labels: PLAIN, account: "vm" },
    { labels: PLAIN },
    { labels: "{security.mesh.io/tlsMode: disabled}", account: "vm" },
    { labels: SIDECAR },
  ], { plain: true });
  assert.deepEqual(declared(binding), [true, false, false, true]);
});

Deno.test("servers have one of the known accounts; unknown ones neither widen nor empty the list", () => {
  const names = (instances: Instance[], defined?: Defined) =>
    expected(clusterOf(start(instances, defined).binding));
  const known = { labels: SIDECAR, account: "db" };
  const unknown = { labels: "{}", pod: false };
  assert.deepEqual(names([known, unknown, { labels: SIDECAR, account: "a" }]), [id("a"), id("db")]);
  const sans = "subjectAltNames: ['spiffe://x/y']";
  assert.deepEqual(names([known, unknown], { more: sans }), [id("db"), "spiffe://x/y"]);
  assert.deepEqual(names([unknown], { more: sans }), ["spiffe://x/y"]);
  const identities = { accounts: ["bank/b"], names: ["spiffe://other/c"] };
  assert.deepEqual(names([known, unknown], { facts: { identities } }), [
    "spiffe://cluster.local/ns/bank/sa/b",
    id("db"),
    "spiffe://other/c",
  ]);
});

Deno.test("an entry that adds endpoints to a host adds its identities", () => {
  const { bench, binding } = start([{ labels: SIDECAR, account: "db" }]);
  bench.set(`apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: more, namespace: shop}
spec:
  hosts: [${HOST}]
  resolution: STATIC
  ports: [{number: 90, name: tcp, protocol: TCP}]
  subjectAltNames: ["spiffe://x/y"]
  endpoints: [{address: 192.0.2.1, labels: ${SIDECAR}}]
`);
  assert.deepEqual(expected(clusterOf(binding)), [id("db"), "spiffe://x/y"]);
});

for (
  const [what, defined, rule] of [
    ["a headless Service", HEADLESS, ""],
    ["PASSTHROUGH", {}, "loadBalancer: {simple: PASSTHROUGH}"],
  ] as const
) {
  Deno.test(`${what}: mutual TLS for all connections, if every known instance takes it`, () => {
    const one = { labels: SIDECAR, account: "db" };
    const { bench, binding } = start([one, { ...one, account: "b" }], defined);
    if (rule !== "") {
      bench.set(`apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: db, namespace: shop}
spec: {host: ${HOST}, trafficPolicy: {${rule}}}
`);
    }
    const names = (): string[] | undefined => {
      const cluster = clusterOf(binding);
      assert.equal(cluster.clusterDiscoveryType.value, Type.ORIGINAL_DST);
      assert.deepEqual(cluster.transportSocketMatches, [], "no endpoint declares anything");
      return expected(cluster);
    };
    assert.deepEqual(names(), [id("b"), id("db")]);
    // It changes with the instances while the proxy is connected.
    setService(bench, [one, { labels: PLAIN, account: "db" }], defined);
    assert.equal(names(), undefined);
    setService(bench, [one, { ...one, health: "unhealthy" }], defined);
    assert.deepEqual(names(), [id("db")]);
    setService(bench, [], defined);
    assert.equal(names(), undefined);
    setService(bench, [one], defined);
    assert.deepEqual(names(), [id("db")]);
    bench.set(disabled("app: db"));
    assert.equal(names(), undefined);
    bench.set(disabled("app: other"));
    assert.deepEqual(names(), [id("db")]);
    bench.set(disabled("app: db", ", portLevelMtls: {90: {mode: DISABLE}}"));
    assert.equal(names(), undefined);
    bench.set(disabled("app: db", ", portLevelMtls: {91: {mode: DISABLE}}"));
    assert.deepEqual(names(), [id("db")]);
    setService(bench, [one], { ...defined, location: "MESH_EXTERNAL" });
    assert.equal(names(), undefined, "outside the mesh nothing is known");
  });
}

Deno.test("gateways choose by endpoint for a headless Service, because they see no address", () => {
  const plain = { labels: PLAIN, account: "db" };
  const { binding } = start([{ labels: SIDECAR, account: "db" }, plain], HEADLESS, "router");
  const cluster = clusterOf(binding);
  assert.equal(cluster.clusterDiscoveryType.value, Type.EDS);
  assert.equal(cluster.transportSocketMatches.length, 2);
  assert.deepEqual(declared(binding), [true, false]);
});

Deno.test("programs of proxyless gRPC expect the same identities, where a rule says mutual TLS", () => {
  const bench = startTranslation(testMeshConfig(), DEFAULT_FEATURES);
  const identities = { accounts: ["bank/b"], names: [] };
  const instances = [{ labels: SIDECAR, account: "db" }, { labels: "{}", pod: false }];
  setService(bench, instances, { facts: { identities } });
  const node = proxyNode("shop", { metadata: { GENERATOR: "grpc" } });
  const binding = bench.translation.source.bind(node, () => {});
  assert.equal(clusterOf(binding).transportSocket, undefined);
  bench.set(`apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: db, namespace: shop}
spec: {host: ${HOST}, trafficPolicy: {tls: {mode: MESH_MUTUAL}}}
`);
  const { value } = clusterOf(binding).transportSocket!.configType;
  const { commonTlsContext } = fromBinary(UpstreamTlsContextSchema, value!.value);
  const validation = commonTlsContext?.validationContextType;
  assert.ok(validation?.case === "combinedValidationContext");
  const names = validation.value.defaultValidationContext?.matchSubjectAltNames ?? [];
  assert.deepEqual(names.map(({ matchPattern }) => matchPattern.value), [
    "spiffe://cluster.local/ns/bank/sa/b",
    id("db"),
  ]);
});
