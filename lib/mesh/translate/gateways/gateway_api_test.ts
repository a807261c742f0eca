/**
 * Listeners and route tables of gateways that objects of the Gateway API become.
 */
import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { SocketAddress_Protocol } from "#envoy/config/core/v3/address_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { UdpProxyConfigSchema } from "#envoy/extensions/filters/udp/udp_proxy/v3/udp_proxy_pb.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { configMapKey, type Credential, type ProxyNode } from "../../model/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const API = "apiVersion: gateway.networking.k8s.io/v1";

const FRONT = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: edge, namespace: one}
spec:
  hosts: [edge.one.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 443, name: https, protocol: HTTPS}]
  workloadSelector: {labels: {app: gw}}
`;

function gateway(listeners: string, more = ""): string {
  return `${API}
kind: Gateway
metadata: {name: edge, namespace: one}
spec:
  gatewayClassName: mesh
  addresses: [{type: Hostname, value: edge.one.svc.cluster.local}]
  ${more}
  listeners: [${listeners}]
`;
}

const CERTIFICATE = "tls: {certificateRefs: [{name: cert}]}";

function https(name: string, hostname: string): string {
  const host = hostname === "" ? "" : `hostname: "${hostname}", `;
  return `{name: ${name}, port: 443, protocol: HTTPS, ${host}${CERTIFICATE}}`;
}

const PAIR: Credential = { certificate: "chain", privateKey: "key", authorities: "ca" };

function served(...objects: readonly string[]) {
  return servedTo(proxyNode("one", { role: "router", labels: { app: "gw" } }), ...objects);
}

function servedTo(node: ProxyNode, ...objects: readonly string[]) {
  const bench = startTranslation();
  bench.apply({
    credentials: new Map([
      ["one/cert", PAIR],
      [configMapKey({ namespace: "one", name: "ca" }), { authorities: "ca" }],
    ]),
  });
  bench.set([FRONT, ...objects].join("---\n"));
  return bench.translation.source.bind(node, () => {});
}

Deno.test("a host of another listener with TLS is refused as misdirected", () => {
  const binding = served(
    gateway([
      https("all", ""),
      https("a", "a.example"),
      https("wild", "*.w.example"),
      https("inner", "b.w.example"),
    ].join(", ")),
  );
  const answers = Object.fromEntries(
    [...binding.view(TYPE_URLS.route)!.entries()].map(({ name, bytes }) => {
      const hosts = fromBinary(RouteConfigurationSchema, bytes).virtualHosts.map((host) => {
        const action = host.routes[0]?.action;
        const status = action?.case === "directResponse" ? action.value.status : "404";
        return `${host.domains[0]} ${status}`;
      });
      return [name.split("-").at(-1)!, hosts.sort()];
    }),
  );
  assert.deepEqual(answers, {
    "all.one": ["*.w.example 421", "a.example 421", "b.w.example 421"],
    "a.one": ["* 421", "a.example 404"],
    "wild.one": ["* 421", "*.w.example 404", "b.w.example 421"],
    "inner.one": ["* 421", "b.w.example 404"],
  });
});

Deno.test("a TLSRoute routes the bytes inside of TLS that a listener ends, and those that it passes on", () => {
  const listeners = [
    `{name: ends, port: 443, protocol: TLS, hostname: a.example, ${CERTIFICATE}}`,
    "{name: passes, port: 443, protocol: TLS, hostname: b.example, tls: {mode: Passthrough}}",
  ];
  const route = `${API}
kind: TLSRoute
metadata: {name: r, namespace: one}
spec:
  parentRefs: [{name: edge}]
  rules: [{backendRefs: [{name: x, port: 80}]}]
`;
  const { bytes } = served(gateway(listeners.join(", ")), route).view(TYPE_URLS.listener)!
    .get("0.0.0.0_443")!;
  const chains = fromBinary(ListenerSchema, bytes).filterChains.map((chain) => [
    chain.filterChainMatch?.serverNames.join(),
    chain.transportSocket === undefined ? "passed on" : "ended",
    chain.filters.map(({ name }) => name.split(".").at(-1)).join(),
  ]);
  assert.deepEqual(chains.sort(), [
    ["a.example", "ended", "tcp_proxy"],
    ["b.example", "passed on", "tcp_proxy"],
  ]);
});

Deno.test("AllowInsecureFallback asks for certificates and accepts those of any authority", () => {
  const validation = (mode: string) =>
    "tls: {frontend: {default: {validation: " +
    `{mode: ${mode}, caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}}}}`;
  const contextOf = (mode: string) => {
    const { bytes } = served(gateway(https("a", "a.example"), validation(mode)))
      .view(TYPE_URLS.listener)!.get("0.0.0.0_443")!;
    const { configType } = fromBinary(ListenerSchema, bytes).filterChains[0]!.transportSocket!;
    const { value } = configType.value as { value: Uint8Array };
    const context = fromBinary(DownstreamTlsContextSchema, value);
    const combined = context.commonTlsContext?.validationContextType;
    assert.equal(combined?.case, "combinedValidationContext");
    return [
      context.requireClientCertificate?.valueOf(),
      combined.value.defaultValidationContext?.trustChainVerification,
    ];
  };
  assert.deepEqual(contextOf("AllowValidOnly"), [true, 0]);
  assert.deepEqual(contextOf("AllowInsecureFallback"), [false, 1]);
});

const SECURE = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: secure, namespace: one}
spec:
  hosts: [secure.one.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
---
${API}
kind: BackendTLSPolicy
metadata: {name: secure, namespace: one}
spec:
  targetRefs: [{group: "", kind: Service, name: secure}]
  validation: {hostname: secure.example, caCertificateRefs: [{group: "", kind: ConfigMap, name: ca}]}
`;

/** The secrets that the cluster of the service names: own certificate, authorities. */
function secretsTo(binding: ReturnType<typeof served>): (string | undefined)[] {
  const { bytes } = binding.view(TYPE_URLS.cluster)!
    .get("outbound|80||secure.one.svc.cluster.local")!;
  const { value } = fromBinary(ClusterSchema, bytes).transportSocket!.configType.value as {
    value: Uint8Array;
  };
  const { commonTlsContext } = fromBinary(UpstreamTlsContextSchema, value);
  const validation = commonTlsContext?.validationContextType;
  return [
    commonTlsContext?.tlsCertificateSdsSecretConfigs[0]?.name,
    validation?.case === "combinedValidationContext"
      ? validation.value.validationContextSdsSecretConfig?.name
      : undefined,
  ];
}

const namesOf = (binding: ReturnType<typeof served>) =>
  [...binding.view(TYPE_URLS.secret)!.entries()].map(({ name }) => name).sort();

Deno.test("a Gateway shows its certificate to backends with a policy, and other proxies do not", () => {
  const shows = "tls: {backend: {clientCertificateRef: {name: cert}}}";
  const open = "{name: http, port: 443, protocol: HTTP}";
  const objects = [gateway(open, shows), SECURE];
  const edge = { role: "router", labels: { app: "gw" }, readsReferred: true } as const;
  const own = servedTo(proxyNode("one", edge), ...objects);
  assert.deepEqual(secretsTo(own), ["kubernetes-gateway://one/cert", "configmap://one/ca"]);
  assert.deepEqual(namesOf(own), ["configmap://one/ca", "kubernetes-gateway://one/cert"]);
  const other = servedTo(proxyNode("one", { ...edge, labels: { app: "other" } }), ...objects);
  assert.deepEqual(secretsTo(other), [undefined, "configmap://one/ca"]);
  const plain = servedTo(proxyNode("one", edge), gateway(open), SECURE);
  assert.deepEqual(secretsTo(plain), [undefined, "configmap://one/ca"]);
});

Deno.test("sidecars have the authorities of policies, and no certificate of a Gateway", () => {
  const shows = "tls: {backend: {clientCertificateRef: {name: cert}}}";
  const objects = [gateway("{name: http, port: 443, protocol: HTTP}", shows), SECURE];
  const known = servedTo(proxyNode("one", { readsReferred: true }), ...objects);
  assert.deepEqual(secretsTo(known), [undefined, "configmap://one/ca"]);
  assert.deepEqual(namesOf(known), ["configmap://one/ca"]);
  assert.deepEqual(namesOf(servedTo(proxyNode("one"), ...objects)), []);
});

function datagrams(name: string, addresses: readonly string[]): string {
  const endpoints = addresses.map((address) => `{address: ${address}, ports: {dns: 5300}}`);
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one}
spec:
  hosts: [${name}.one.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 53, name: dns, protocol: UDP}]
  endpoints: [${endpoints.join(", ")}]
`;
}

Deno.test("a UDPRoute forwards datagrams, in the shares of its backends, and drops those of absent ones", () => {
  const route = `${API}
kind: UDPRoute
metadata: {name: dns, namespace: one}
spec:
  parentRefs: [{name: edge}]
  rules:
  - backendRefs:
    - {name: one, port: 53, weight: 6}
    - {name: two, port: 53, weight: 3}
    - {name: absent, port: 53, weight: 1}
    - {name: two, port: 53, weight: 0}
`;
  const listeners = "{name: dns, port: 443, protocol: UDP}, {name: tcp, port: 443, protocol: TCP}";
  const tcp = `${API}
kind: TCPRoute
metadata: {name: tcp, namespace: one}
spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: one, port: 53}]}]}
`;
  const binding = served(
    gateway(listeners),
    datagrams("one", ["10.0.0.1", "10.0.0.2"]),
    datagrams("two", ["10.0.0.3"]),
    route,
    tcp,
  );
  assert.deepEqual(
    [...binding.view(TYPE_URLS.listener)!.entries()].map(({ name }) => name).sort(),
    ["0.0.0.0_443", "udp_0.0.0.0_443"],
  );
  const found = binding.view(TYPE_URLS.listener)!.get("udp_0.0.0.0_443")!;
  const { listenerFilters } = fromBinary(ListenerSchema, found.bytes);
  const { value } = listenerFilters[0]!.configType.value as { value: Uint8Array };
  const { routeSpecifier } = fromBinary(UdpProxyConfigSchema, value);
  assert.equal(routeSpecifier.case, "matcher");
  const { bytes } = binding.view(TYPE_URLS.cluster)!.get("udp|443/udp")!;
  const weights = fromBinary(ClusterSchema, bytes).loadAssignment!.endpoints[0]!.lbEndpoints
    .map(({ hostIdentifier, loadBalancingWeight }) => {
      assert.equal(hostIdentifier.case, "endpoint");
      const at = hostIdentifier.value.address?.address;
      assert.equal(at?.case, "socketAddress");
      assert.equal(at.value.protocol, SocketAddress_Protocol.UDP);
      return [at.value.address, loadBalancingWeight];
    });
  assert.deepEqual(weights, [
    ["10.0.0.1", 30_000],
    ["10.0.0.2", 30_000],
    ["10.0.0.3", 30_000],
    ["127.0.0.1", 10_000],
  ]);
});
