/**
 * Inbound listeners.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { VirtualHost } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  AuthorizationPolicy_Action,
  AuthorizationPolicySchema,
} from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import {
  authorizationFilters,
  inboundClusterName,
  type InboundPort,
  inboundRetries,
  inboundRoute,
  ingressListener,
  mutualServerTls,
  NO_SECURITY,
  type SecurityPolicies,
  SHARED,
  virtualHostFor,
  virtualInbound,
} from "../../../lib/mesh/envoy/mod.ts";
import type { PeerMode, Protocol } from "../../../lib/mesh/model/mod.ts";
import { create } from "../../../lib/kit/proto/mod.ts";
import { FULL, logged, MANAGER_DEFAULTS, TEXT_LOG } from "./listener_values.ts";

const manager = MANAGER_DEFAULTS;

function virtualHost(port: number): VirtualHost {
  const route = inboundRoute(
    inboundClusterName(port),
    `a.ns.svc:${port}/*`,
    inboundRetries(undefined, true),
  );
  return virtualHostFor({ host: "*", port }, [route]);
}

function inboundPort(port: number, protocol: Protocol): InboundPort {
  return { port, protocol, cluster: inboundClusterName(port), virtualHost: virtualHost(port) };
}

/** A port of each kind. */
const GUARDED = [
  inboundPort(8080, "HTTP"),
  inboundPort(8081, "HTTP"),
  inboundPort(3306, "MySQL"),
  inboundPort(9090, "Unsupported"),
];

/** A policy that forbids a path, and mutual TLS. */
function securityOf(
  mode: PeerMode,
  ports: Readonly<Record<number, PeerMode>> = {},
): SecurityPolicies {
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
    findService: () => undefined,
    trustDomains: ["cluster.local"],
    otherSpellings: false,
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
export const INBOUND_CASES: Readonly<Record<string, () => Listener>> = {
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
      security: securityOf("strict", { 8081: "disable", 7070: "permissive" }),
    }),
  virtual_inbound_permissive: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: GUARDED,
      manager,
      security: securityOf("permissive"),
    }),
  virtual_inbound_without_certificate: () =>
    virtualInbound({
      bind: "0.0.0.0",
      port: 15006,
      ports: [inboundPort(8080, "HTTP")],
      manager,
      security: { ...NO_SECURITY, mode: () => "strict", otherwise: "strict" },
    }),
  ingress_strict: () =>
    ingressListener({
      ...inboundPort(9080, "HTTP"),
      bind: "127.0.0.1",
      manager,
      security: securityOf("strict"),
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
        telemetry: logged({ ...TEXT_LOG, format: "%START_TIME% %RESPONSE_FLAGS%" }),
      },
    }),
};
