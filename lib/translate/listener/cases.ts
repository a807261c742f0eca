/**
 * For tests: listeners of every kind the builders know, by name. Each has a
 * golden file, and the real Envoy is asked about those.
 *
 * @module
 */
import {
  AuthorizationPolicy_Action,
  AuthorizationPolicySchema,
} from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import type { PeerMode } from "../../derive/mod.ts";
import { mutualServerTls, SHARED } from "../authn/mod.ts";
import { authorizationFilters } from "../authz/mod.ts";
import { type Guard, NO_GUARD } from "./guard.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { VirtualHost } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettingsSchema,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import {
  ForwardClientCertDetails as Forward,
  TopologySchema,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { Protocol } from "../../model/mod.ts";
import { create, fromJson, type JsonObject } from "../../proto/mod.ts";
import {
  type AccessLogSettings,
  fileLog,
  gatewayHttpListener,
  gatewayTcpListener,
  gatewayTlsListener,
  type InboundPort,
  ingressListener,
  type ManagerDefaults,
  NO_SIGNALS,
  outboundHttpListener,
  outboundTcpListener,
  type ProxySettings,
  type SignalSet,
  unmatchedOnly,
  virtualInbound,
  virtualOutbound,
} from "./mod.ts";
import { inboundClusterName } from "../cluster/mod.ts";
import { inboundRoute, virtualHostFor } from "../route/mod.ts";

/** The mesh configuration as it is built in. */
export const MANAGER_DEFAULTS: ManagerDefaults = {
  listenerLog: true,
  pathNormalization: "base",
  http10: false,
  sidecarUseRemoteAddress: false,
  detectionTimeoutMs: 0,
  proxy100Continue: true,
};

const TEXT_LOG: AccessLogSettings = { file: "/dev/stdout", encoding: "text", format: "" };
const JSON_LOG: AccessLogSettings = { file: "/dev/stdout", encoding: "json", format: "" };

/** A load balancer stands before the gateway, and another proxy before that. */
const BEHIND_BALANCER: ProxySettings = {
  topology: create(TopologySchema, {
    numTrustedProxies: 2,
    forwardClientCertDetails: Forward.APPEND_FORWARD,
    proxyProtocol: {},
  }),
};

/** Everything is logged to a file. */
export function logged(settings: AccessLogSettings): SignalSet {
  const log = fileLog(settings);
  const side = { ...NO_SIGNALS, http: [log], tcp: [log], unmatched: [unmatchedOnly(log)] };
  return { client: side, server: side, mutual: side };
}

/** With everything set that can be. */
const FULL: ManagerDefaults = {
  signals: logged(TEXT_LOG),
  listenerLog: true,
  pathNormalization: "decode-and-merge-slashes",
  http10: true,
  idleTimeoutMs: 90_000,
  sidecarUseRemoteAddress: true,
  detectionTimeoutMs: 500,
  proxy100Continue: false,
};

const manager = MANAGER_DEFAULTS;
const http80 = { bind: "0.0.0.0", port: 80, routeName: "80" };
const one = (cluster: string) => [{ cluster, weight: 1 }];

function virtualHost(port: number): VirtualHost {
  const route = inboundRoute(inboundClusterName(port), `a.ns.svc:${port}/*`, true);
  return virtualHostFor({ host: "*", port }, [route]);
}

function inboundPort(port: number, protocol: Protocol): InboundPort {
  return { port, protocol, cluster: inboundClusterName(port), virtualHost: virtualHost(port) };
}

function serverTls(json: JsonObject): ServerTLSSettings {
  return fromJson(ServerTLSSettingsSchema, {
    serverCertificate: "/etc/mesh/cert.pem",
    privateKey: "/etc/mesh/key.pem",
    ...json,
  });
}

/** A port of each kind. */
const GUARDED = [
  inboundPort(8080, "HTTP"),
  inboundPort(8081, "HTTP"),
  inboundPort(3306, "MySQL"),
  inboundPort(9090, "Unsupported"),
];

/** A policy that forbids a path, and mutual TLS. */
function guardOf(mode: PeerMode, ports: Readonly<Record<number, PeerMode>> = {}): Guard {
  const { http, tcp } = authorizationFilters({
    policies: [{
      meta: {
        kind: "AuthorizationPolicy",
        namespace: "shop",
        name: "keys",
        labels: {},
        annotations: {},
        generation: 1,
        creationTime: 0,
        origin: { source: "file" },
      },
      spec: create(AuthorizationPolicySchema, {
        action: AuthorizationPolicy_Action.DENY,
        rules: [{
          from: [{ source: { notNamespaces: ["shop"] } }],
          to: [{ operation: { paths: ["/keys"] } }],
        }],
      }),
      digest: "",
    }],
    providers: [],
    findHost: () => undefined,
    trustDomains: ["cluster.local"],
    guards: false,
  });
  return {
    http: [...http.asking, ...http.deciding],
    tcp,
    mode: (port) => ports[port] ?? mode,
    otherwise: mode,
    named: Object.keys(ports).map(Number),
    tls: mutualServerTls(SHARED, ["cluster.local"]),
  };
}

/** Name of the case → the listener. */
export const LISTENER_CASES: Readonly<Record<string, () => Listener>> = {
  outbound_http: () => outboundHttpListener({ ...http80, bindToPort: false, manager }),
  outbound_http_fallthrough: () =>
    outboundHttpListener({
      ...http80,
      bindToPort: false,
      fallthroughCluster: "PassthroughCluster",
      manager,
    }),
  outbound_http_bound: () =>
    outboundHttpListener({ ...http80, bind: "127.0.0.1", bindToPort: true, manager }),
  outbound_http_full: () =>
    outboundHttpListener({
      ...http80,
      bindToPort: true,
      protocol: "GRPC-Web",
      extraBinds: ["::"],
      fallthroughCluster: "BlackHoleCluster",
      manager: FULL,
    }),
  outbound_http_proxy: () =>
    outboundHttpListener({
      bind: "127.0.0.1",
      port: 15002,
      routeName: "http_proxy",
      allowAbsoluteUrl: true,
      bindToPort: true,
      manager: { ...manager, signals: logged(JSON_LOG), listenerLog: false },
    }),
  outbound_http_socket: () =>
    outboundHttpListener({
      bind: "unix:///var/run/egress.sock",
      port: 0,
      routeName: "unix:///var/run/egress.sock",
      bindToPort: true,
      manager: {
        ...manager,
        pathNormalization: "none",
        signals: logged({
          file: "/dev/stdout",
          encoding: "json",
          format: '{"code":"%RESPONSE_CODE%"}',
        }),
      },
    }),
  outbound_tcp_address: () =>
    outboundTcpListener({
      bind: "10.0.0.1",
      port: 9000,
      bindToPort: false,
      chains: [{ clusters: one("outbound|9000||a.b"), statPrefix: "outbound|9000||a.b" }],
      manager,
    }),
  outbound_tcp_shared: () =>
    outboundTcpListener({
      bind: "0.0.0.0",
      port: 9000,
      bindToPort: false,
      fallthroughCluster: "PassthroughCluster",
      chains: [
        {
          destinationCidrs: ["10.8.0.0/16", "2001:db8::1", "not an address"],
          clusters: [
            { cluster: "outbound|9000|v1|a.b", weight: 80 },
            { cluster: "outbound|9000|v2|a.b", weight: 20 },
            { cluster: "outbound|9000|v3|a.b", weight: 0 },
          ],
          statPrefix: "a.ns",
          hashSourceIp: true,
        },
        { destinationCidrs: ["nonsense"], clusters: one("never"), statPrefix: "never" },
        {
          destinationCidrs: ["10.8.0.0/16", "2001:db8::1"],
          clusters: one("too late"),
          statPrefix: "too late",
        },
      ],
      manager: FULL,
    }),
  outbound_tcp_sni: () =>
    outboundTcpListener({
      bind: "0.0.0.0",
      port: 443,
      bindToPort: false,
      chains: [
        {
          sniHosts: ["api.example.com", "*.example.org"],
          clusters: one("outbound|443||api.example.com"),
          statPrefix: "outbound|443||api.example.com",
          idleTimeoutMs: 30_000,
          maxConnectionDurationMs: 600_000,
        },
        { sniHosts: ["*"], clusters: one("outbound|443||any"), statPrefix: "any" },
      ],
      manager,
    }),
  outbound_mixed: () =>
    outboundTcpListener({
      bind: "0.0.0.0",
      port: 443,
      bindToPort: false,
      fallthroughCluster: "PassthroughCluster",
      httpRoutes: "443",
      chains: [
        {
          sniHosts: ["api.example.com"],
          clusters: one("outbound|443||api.example.com"),
          statPrefix: "outbound|443||api.example.com",
        },
        {
          destinationCidrs: ["10.8.0.0/16"],
          httpRoutes: "443",
          clusters: one("outbound|443||ranges.example.com"),
          statPrefix: "outbound|443||ranges.example.com",
        },
        { clusters: one("outbound|443||any"), statPrefix: "outbound|443||any" },
      ],
      manager,
    }),
  outbound_sniffed_address: () =>
    outboundTcpListener({
      bind: "10.0.0.1",
      port: 9000,
      bindToPort: false,
      httpRoutes: "9000",
      chains: [{ clusters: one("outbound|9000||a.b"), statPrefix: "outbound|9000||a.b" }],
      manager: FULL,
    }),
  virtual_outbound: () =>
    virtualOutbound({
      bind: "0.0.0.0",
      port: 15001,
      egressCluster: "PassthroughCluster",
      manager: { ...manager, signals: logged(TEXT_LOG) },
    }),
  virtual_outbound_tproxy: () =>
    virtualOutbound({
      bind: "::",
      port: 15001,
      egressCluster: "BlackHoleCluster",
      transparent: true,
      manager,
    }),
  virtual_inbound: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: [inboundPort(8080, "HTTP"), inboundPort(3306, "MySQL"), inboundPort(15006, "HTTP")],
      manager,
    }),
  virtual_inbound_detect: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: [
        inboundPort(8080, "Unsupported"),
        inboundPort(8080, "TCP"),
        inboundPort(8081, "Unsupported"),
        inboundPort(9090, "GRPC"),
        inboundPort(3306, "MySQL"),
      ],
      manager: FULL,
    }),
  virtual_inbound_detect_one: () =>
    virtualInbound({
      bind: "::",
      port: 15006,
      ports: [inboundPort(8080, "Unsupported")],
      transparent: true,
      manager,
    }),
  virtual_inbound_strict: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: GUARDED,
      manager,
      guard: guardOf("strict", { 8081: "disable", 7070: "permissive" }),
    }),
  virtual_inbound_permissive: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: GUARDED,
      manager,
      guard: guardOf("permissive"),
    }),
  virtual_inbound_without_certificate: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: [inboundPort(8080, "HTTP")],
      manager,
      guard: { ...NO_GUARD, mode: () => "strict", otherwise: "strict" },
    }),
  ingress_strict: () =>
    ingressListener({
      ...inboundPort(9080, "HTTP"),
      bind: "127.0.0.1",
      manager,
      guard: guardOf("strict"),
    }),
  ingress_http: () => ingressListener({ ...inboundPort(9080, "HTTP"), bind: "127.0.0.1", manager }),
  ingress_detect: () =>
    ingressListener({ ...inboundPort(9080, "Unsupported"), bind: "127.0.0.1", manager }),
  ingress_tcp_socket: () =>
    ingressListener({
      ...inboundPort(9080, "TCP"),
      bind: "unix:///var/run/ingress.sock",
      manager: {
        ...manager,
        signals: logged({ ...TEXT_LOG, format: "%START_TIME% %RESPONSE_FLAGS%" }),
      },
    }),
  outbound_document: () =>
    outboundTcpListener({
      bind: "10.0.0.9",
      port: 27017,
      bindToPort: false,
      chains: [{ clusters: one("outbound|27017||d.b"), statPrefix: "d", protocol: "document" }],
      manager,
    }),
  outbound_key_value: () =>
    outboundTcpListener({
      bind: "10.0.0.9",
      port: 6379,
      bindToPort: false,
      chains: [{ clusters: one("outbound|6379||k.v"), statPrefix: "k", protocol: "key-value" }],
      manager,
    }),
  gateway_http: () =>
    gatewayHttpListener({ bind: "0.0.0.0", port: 8080, routeName: "http.8080", manager }),
  gateway_http_full: () =>
    gatewayHttpListener({
      bind: "0.0.0.0",
      port: 8080,
      routeName: "http.8080",
      extraBinds: ["::"],
      manager: { ...FULL, settings: BEHIND_BALANCER },
    }),
  gateway_tcp: () =>
    gatewayTcpListener({
      bind: "0.0.0.0",
      port: 31400,
      chains: [{ clusters: one("outbound|9000||a.b"), statPrefix: "a.ns" }],
      manager,
    }),
  gateway_https: () =>
    gatewayTlsListener({
      bind: "0.0.0.0",
      port: 8443,
      chains: [
        {
          sniHosts: ["a.example.com", "*.b.example.com"],
          tls: serverTls({ mode: "SIMPLE" }),
          to: { routeName: "https.8443.a.gw.ns" },
        },
        {
          // What is left to it of its names is the second.
          sniHosts: ["A.example.com", "c.example.com"],
          tls: serverTls({
            mode: "MUTUAL",
            caCertificates: "/etc/mesh/ca.pem",
            caCrl: "/etc/mesh/ca.crl",
            subjectAltNames: ["client.example.com"],
            minProtocolVersion: "TLSV1_2",
            maxProtocolVersion: "TLSV1_3",
            cipherSuites: ["ECDHE-ECDSA-AES128-GCM-SHA256", "NO-SUCH-SUITE"],
            ecdhCurves: ["P-256"],
          }),
          to: { routeName: "https.8443.c.gw.ns" },
        },
        {
          sniHosts: ["*"],
          tls: serverTls({
            mode: "OPTIONAL_MUTUAL",
            caCertificates: "/etc/mesh/ca.pem",
            insecureSkipVerify: true,
          }),
          to: { routeName: "https.8443.rest.gw.ns" },
        },
      ],
      manager,
    }),
  gateway_tls: () =>
    gatewayTlsListener({
      bind: "0.0.0.0",
      port: 8443,
      chains: [
        {
          sniHosts: ["db.example.com"],
          destinationCidrs: ["10.0.0.0/8", "192.168.0.1"],
          tls: serverTls({ mode: "SIMPLE" }),
          to: { tcp: { clusters: one("outbound|3306||db.b"), statPrefix: "db" } },
        },
        {
          sniHosts: ["db.example.com", "*.example.com"],
          destinationCidrs: ["10.0.0.0/8", "192.168.0.2"],
          to: { tcp: { clusters: one("outbound|443||any.b"), statPrefix: "any" } },
        },
        {
          sniHosts: ["*nonsense.example.com"],
          to: { tcp: { clusters: one("never"), statPrefix: "never" } },
        },
      ],
      manager: FULL,
    }),
  gateway_tls_passthrough: () =>
    gatewayTcpListener({
      bind: "0.0.0.0",
      port: 8443,
      chains: [{
        sniHosts: ["a.example.com"],
        clusters: one("outbound|443||a.b"),
        statPrefix: "a.ns",
      }],
      manager,
    }),
};
