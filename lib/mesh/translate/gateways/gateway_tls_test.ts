/**
 * Certificates that Gateways name, mutual TLS with workloads, and connections sent on by name.
 */
import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import type { FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  type CommonTlsContext,
  DownstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { manifest } from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import type { Credential, ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const edge = (more: Partial<ProxyNode> = {}): ProxyNode =>
  proxyNode("one", { role: "router", labels: { app: "gw" }, readsCredentials: true, ...more });

function gateway(tls: string, protocol = "HTTPS"): string {
  return `apiVersion: networking.mesh.io/v1

kind: Gateway

metadata: {name: gw, namespace: one}

spec:
  selector: {app: gw}
  servers: [{port: {number: 443, name: s, protocol: ${protocol}}, hosts: ['*.example'], tls: {${tls}}}]

`;
}

const secretsOf = (binding: ProxyBinding): string[] =>
  [...binding.view(TYPE_URLS.secret)!.entries()].map(({ name }) => name).sort();

function chainsOf(binding: ProxyBinding): FilterChain[] {
  const found = binding.view(TYPE_URLS.listener)!.get("0.0.0.0_443");
  return found === undefined ? [] : fromBinary(ListenerSchema, found.bytes).filterChains;
}

function contextOf({ transportSocket }: FilterChain): CommonTlsContext {
  assert.equal(transportSocket?.configType.case, "typedConfig");
  const { value } = transportSocket.configType.value as { value: Uint8Array };
  return fromBinary(DownstreamTlsContextSchema, value).commonTlsContext!;
}

const PAIR: Credential = { certificate: "chain", privateKey: "key" };

Deno.test("a credential is served to trusted gateways of its namespace, and is no other's", () => {
  const bench = startTranslation();
  bench.set(gateway("mode: MUTUAL, credentialName: shop"));
  bench.apply({
    credentials: new Map([
      ["one/shop", { ...PAIR, authorities: "ca" }],
      ["one/other", PAIR],
      ["two/shop", PAIR],
    ]),
  });
  const bindingOf = (node: ProxyNode) => bench.translation.source.bind(node, () => {});
  const binding = bindingOf(edge());
  assert.deepEqual(secretsOf(binding), ["kubernetes://shop", "kubernetes://shop-cacert"]);
  assert.deepEqual(secretsOf(bindingOf(edge({ readsCredentials: false }))), []);
  assert.deepEqual(
    secretsOf(bindingOf(proxyNode("one", { labels: { app: "gw" }, readsCredentials: true }))),
    [],
  );
  const elsewhere = bindingOf({ ...edge(), namespace: "two" });
  assert.deepEqual(secretsOf(elsewhere), ["kubernetes://shop"]);
  const asked = contextOf(chainsOf(binding)[0]!);
  assert.deepEqual(asked.tlsCertificateSdsSecretConfigs.map(({ name }) => name), [
    "kubernetes://shop",
  ]);
  assert.equal(asked.validationContextType.case, "combinedValidationContext");

  // Renewed, the secret is another; the listener is not.
  const listener = () => binding.view(TYPE_URLS.listener)!.get("0.0.0.0_443")!.version;
  const before = listener();
  bench.apply({
    credentials: new Map([["one/shop", { ...PAIR, certificate: "new" }]]),
  });
  const secret = fromBinary(
    SecretSchema,
    binding.view(TYPE_URLS.secret)!.get("kubernetes://shop")!.bytes,
  );
  assert.equal(secret.type.case, "tlsCertificate");
  assert.deepEqual(secret.type.value.certificateChain?.specifier, {
    case: "inlineString",
    value: "new",
  });
  assert.equal(listener(), before);
  assert.deepEqual(secretsOf(binding), ["kubernetes://shop"]);
});

Deno.test("a gateway of a remote cluster is sent the credentials of that cluster only", () => {
  const bench = startTranslation();
  bench.set(gateway("mode: MUTUAL, credentialName: shop"));
  const authorities = { authorities: "ca" };
  bench.apply({
    credentials: new Map([
      ["one/shop", { ...PAIR, ...authorities }],
      ["one/shop@west", PAIR],
      ["two/shop@west", PAIR],
    ]),
  });
  const at = (credentialCluster?: string) =>
    secretsOf(
      bench.translation.source.bind(
        edge(credentialCluster === undefined ? {} : { credentialCluster }),
        () => {},
      ),
    );
  assert.deepEqual(at(), ["kubernetes://shop", "kubernetes://shop-cacert"]);
  assert.deepEqual(at("west"), ["kubernetes://shop"]);
  assert.deepEqual(at("east"), []);
});

Deno.test("a Gateway cannot name a credential of another namespace", () => {
  const bench = startTranslation();
  bench.apply({ credentials: new Map([["two/shop", PAIR], ["one/shop", PAIR]]) });
  for (const [name, expected] of [["two/shop", []], ["one/shop", ["kubernetes://one/shop"]]]) {
    bench.set(gateway(`mode: SIMPLE, credentialName: 'kubernetes://${name}'`));
    const binding = bench.translation.source.bind(edge(), () => {});
    assert.deepEqual(secretsOf(binding), expected);
  }
});

Deno.test("certificates of several kinds, and authorities by a name of their own", () => {
  const bench = startTranslation();
  bench.set(gateway("mode: MUTUAL, credentialNames: [rsa, ecdsa], caCertCredentialName: clients"));
  bench.apply({
    credentials: new Map([
      ["one/rsa", PAIR],
      ["one/ecdsa", { ...PAIR, ocspStaple: "AQID" }],
      ["one/clients", { authorities: "ca", revoked: "crl" }],
    ]),
  });
  const binding = bench.translation.source.bind(edge(), () => {});
  const names = ["kubernetes://clients-cacert", "kubernetes://ecdsa", "kubernetes://rsa"];
  assert.deepEqual(secretsOf(binding), names);
  const staple = fromBinary(
    SecretSchema,
    binding.view(TYPE_URLS.secret)!.get("kubernetes://ecdsa")!.bytes,
  ).type;
  assert.equal(staple.case, "tlsCertificate");
  assert.deepEqual(staple.value.ocspStaple?.specifier.value, new Uint8Array([1, 2, 3]));
});

Deno.test("servers for workloads of the mesh are served by gateways that have a certificate", () => {
  const bench = startTranslation();
  bench.set([
    gateway("mode: MESH_MUTUAL"),
    `apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: a, namespace: one}

spec: {hosts: [a.example], gateways: [gw], http: [{route: [{destination: {host: x}}]}]}

`,
  ].join("---\n"));
  const files = Object.fromEntries(
    ["CERT_CHAIN", "KEY", "ROOT_CERT"].map((part) => [`TLS_SERVER_${part}`, `/${part}`]),
  );
  const bare = bench.translation.source.bind(edge(), () => {});
  assert.deepEqual(chainsOf(bare), []);
  const metadata = { LABELS: { app: "gw" }, ...files };
  const binding = bench.translation.source.bind({ ...edge(), metadata }, () => {});
  const [chain] = chainsOf(binding);
  assert.deepEqual(chain?.filterChainMatch?.serverNames, ["*.example"]);
  assert.equal(contextOf(chain).tlsCertificateSdsSecretConfigs[0]?.name, "default");

  // The agent's certificate comes from the agent's socket.
  const ofAgent = { LABELS: { app: "gw" }, AGENT_CERTIFICATES: "true" };
  const agent = bench.translation.source.bind({ ...edge(), metadata: ofAgent }, () => {});
  const [secret] = contextOf(chainsOf(agent)[0]!).tlsCertificateSdsSecretConfigs;
  assert.equal(secret?.name, "default");
  assert.equal(secret.sdsConfig?.configSourceSpecifier.case, "apiConfigSource");
});

Deno.test("connections are forwarded to the cluster of their server name", () => {
  const bench = startTranslation();
  bench.set([
    gateway("mode: AUTO_PASSTHROUGH", "TLS"),
    `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: a, namespace: two}

spec:
  hosts: [a.example, a.elsewhere]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 53, name: dns, protocol: UDP}]
  endpoints: [{address: 10.0.0.1, labels: {v: "1"}}]

`,
    `apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: a, namespace: two}

spec:
  host: a.example
  trafficPolicy: {tls: {mode: SIMPLE}}
  subsets: [{name: s, labels: {v: "1"}}]

`,
  ].join("---\n"));
  const binding = bench.translation.source.bind(edge(), () => {});
  const names = ["outbound_.80_._.a.example", "outbound_.80_.s_.a.example"];
  assert.deepEqual(chainsOf(binding).flatMap((c) => c.filterChainMatch?.serverNames), names);
  assert.ok(chainsOf(binding).every((c) => c.transportSocket === undefined));
  for (const { filterChainMatch } of chainsOf(binding)) {
    assert.deepEqual(filterChainMatch?.applicationProtocols, ["mesh", "mesh-http/1.1", "mesh-h2"]);
  }
  const clusters = binding.view(TYPE_URLS.cluster)!;
  const found = names.map((name) => fromBinary(ClusterSchema, clusters.get(name)!.bytes));
  assert.deepEqual(found.map((c) => c.edsClusterConfig?.serviceName), names);
  const endpoints = binding.view(TYPE_URLS.endpoint)!;
  for (const name of names) {
    const held = fromBinary(ClusterLoadAssignmentSchema, endpoints.get(name)!.bytes);
    assert.equal(held.clusterName, name);
    assert.equal(held.endpoints[0]?.lbEndpoints.length, 1);
  }
  assert.ok(found.every((c) => c.transportSocket === undefined));
  assert.equal(clusters.get("outbound_.80_._.a.elsewhere"), undefined);
  bench.remove("ServiceEntry", "two/a");
  assert.deepEqual(chainsOf(binding), []);
  assert.equal(clusters.get(names[0]!), undefined);
});

Deno.test("connections to a headless service are forwarded to its endpoints", () => {
  const bench = startTranslation();
  bench.set([
    gateway("mode: AUTO_PASSTHROUGH", "TLS"),
    manifest("ServiceEntry", "a", {
      hosts: ["a.example"],
      location: "MESH_INTERNAL",
      resolution: "NONE",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      workloadSelector: { labels: { app: "db" } },
    }),
    manifest("ServiceEntry", "plain", {
      hosts: ["b.example"],
      location: "MESH_INTERNAL",
      resolution: "NONE",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    }),
    manifest("WorkloadEntry", "one", {
      address: "10.0.0.1",
      labels: { app: "db" },
      serviceAccount: "db",
    }),
  ].join("---\n"));
  const binding = bench.translation.source.bind(edge(), () => {});
  const name = "outbound_.80_._.a.example";
  assert.deepEqual(chainsOf(binding).flatMap((c) => c.filterChainMatch?.serverNames), [name]);
  const { bytes } = binding.view(TYPE_URLS.endpoint)!.get(name)!;
  const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, bytes);
  assert.equal(endpoints[0]?.lbEndpoints.length, 1);
});
