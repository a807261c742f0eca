/**
 * Listeners of gateways.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  ForwardClientCertDetails as Forward,
  TopologySchema,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettingsSchema,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import {
  gatewayHttpListener,
  gatewayTcpListener,
  gatewayTlsListener,
  type ProxySettings,
} from "../../../lib/mesh/envoy/mod.ts";
import { create, fromJson, type JsonObject } from "../../../lib/kit/proto/mod.ts";
import { FULL, MANAGER_DEFAULTS, one } from "./listener_values.ts";

const manager = MANAGER_DEFAULTS;

/** A load balancer stands before the gateway, and another proxy before that. */
const BEHIND_BALANCER: ProxySettings = {
  topology: create(TopologySchema, {
    numTrustedProxies: 2,
    forwardClientCertDetails: Forward.APPEND_FORWARD,
    proxyProtocol: {},
  }),
};

function serverTls(json: JsonObject): ServerTLSSettings {
  return fromJson(ServerTLSSettingsSchema, {
    serverCertificate: "/etc/mesh/cert.pem",
    privateKey: "/etc/mesh/key.pem",
    ...json,
  });
}

/** Name of the case → the listener. */
export const GATEWAY_CASES: Readonly<Record<string, () => Listener>> = {
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
          // The conflict removes all names but the second.
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
