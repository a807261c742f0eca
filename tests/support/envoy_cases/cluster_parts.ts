/**
 * For tests: parts of the clusters of cases.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  LocalityLoadBalancerSettingSchema,
  TrafficPolicySchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  buildInboundCluster,
  buildOutboundCluster,
  type InboundClusterInput,
  type MeshClusterDefaults,
  type OutboundClusterInput,
} from "../../../lib/mesh/envoy/mod.ts";
import type { Endpoint, Service, ServicePort } from "../../../lib/mesh/model/mod.ts";
import { create, fromJson, type JsonObject, type JsonValue } from "../../../lib/kit/proto/mod.ts";
import { NO_DECISIONS } from "../../../lib/kit/base/mod.ts";
import { mergeTrafficPolicy } from "../../../lib/mesh/translate/mod.ts";

/** The mesh configuration as it is built in, for IPv4 proxies. */
export const CLUSTER_DEFAULTS: MeshClusterDefaults = {
  connectTimeoutMs: 10_000,
  dnsRefreshRateMs: 60_000,
  dnsJitterMs: 0,
  family: "v4",
  h2Upgrade: false,
  localityLb: create(LocalityLoadBalancerSettingSchema),
  alwaysWeighLocalities: false,
  targetPortOfNone: true,
  drainingLabel: "mesh.io/draining",
  sendUnhealthyEndpoints: false,
  telemetryLabel: true,
  endpointTelemetryLabel: true,
  canonicalOutside: false,
  preferRuleTls: true,
  autoSni: true,
};

/** A service with one HTTP port, `http`, 80. */
export function testService(over: Partial<Service> = {}): Service {
  return {
    key: "default/reviews.default.svc.cluster.local",
    host: "reviews.default.svc.cluster.local",
    namespace: "default",
    ports: [testPort()],
    addresses: [],
    resolution: "STATIC",
    meshExternal: false,
    exportTo: "public",
    subjectAltNames: [],
    labels: {},
    creationTime: 1,
    source: "ServiceEntry/default/reviews",
    ...over,
  };
}

export function testPort(over: Partial<ServicePort> = {}): ServicePort {
  return { number: 80, name: "http", protocol: "HTTP", targetPort: 8080, ...over };
}

/** An endpoint that serves the port `http` at 8080. */
export function testEndpoint(over: Partial<Endpoint> = {}): Endpoint {
  return {
    address: "10.1.0.1",
    ports: { http: 8080 },
    labels: { app: "reviews", version: "v1" },
    network: "",
    locality: { region: "r1", zone: "z1", subzone: "" },
    weight: 0,
    serviceAccount: "",
    namespace: "default",
    health: "healthy",
    workload: "reviews-v1",
    ...over,
  };
}

/** Options of an outbound case. */
export interface OutboundCase extends Partial<Omit<OutboundClusterInput, "policy" | "mesh">> {
  /** Traffic policy of the rule and of the subset, as JSON. */
  readonly rulePolicy?: JsonValue;
  readonly subsetPolicy?: JsonValue;
  readonly defaults?: Partial<MeshClusterDefaults>;
}

/** The cluster of an outbound case. */
export function outbound(spec: OutboundCase = {}): Cluster | undefined {
  const { rulePolicy, subsetPolicy, defaults, ...rest } = spec;
  const policyOf = (json: JsonValue | undefined) =>
    json === undefined ? undefined : fromJson(TrafficPolicySchema, json);
  const port = rest.port ?? testPort();
  return buildOutboundCluster({
    service: testService(),
    port,
    endpoints: [],
    policy: mergeTrafficPolicy(NO_DECISIONS, {
      rule: policyOf(rulePolicy),
      subset: policyOf(subsetPolicy),
      port: port.number,
    }),
    mesh: { ...CLUSTER_DEFAULTS, ...defaults },
    ...rest,
  });
}

/** The cluster of an inbound case. */
export function inbound(spec: Partial<InboundClusterInput>): Cluster {
  return buildInboundCluster({
    port: 8080,
    protocol: "HTTP",
    target: { kind: "original" },
    services: [testService()],
    mesh: CLUSTER_DEFAULTS,
    ...spec,
  });
}

/** A service outside the mesh. */
export const EXTERNAL: Pick<Service, "host" | "namespace" | "meshExternal"> = {
  host: "api.example.com",
  namespace: "shop",
  meshExternal: true,
};

/** A subset. */
export const V1: { readonly name: string; readonly labels: Readonly<Record<string, string>> } = {
  name: "v1",
  labels: { version: "v1" },
};

/** Endpoints that are names. */
export const dnsEndpoints: readonly Endpoint[] = [
  testEndpoint({ address: "a.example.com" }),
  testEndpoint({ address: "b.example.com", weight: 3, labels: { version: "v2" } }),
];

/** A connection pool with all there is. */
export const FULL_POOL: JsonObject = {
  tcp: {
    maxConnections: 100,
    connectTimeout: "2s",
    tcpKeepalive: { probes: 3, time: "7200s" },
    maxConnectionDuration: "600s",
    idleTimeout: "30s",
  },
  http: {
    http1MaxPendingRequests: 11,
    http2MaxRequests: 12,
    maxRequestsPerConnection: 13,
    maxRetries: 14,
    idleTimeout: "20s",
    h2UpgradePolicy: "UPGRADE",
    maxConcurrentStreams: 15,
    http2KeepAlive: { interval: "10s", timeout: "5s" },
  },
};

/** Outlier detection with all there is. */
export const FULL_OUTLIER: JsonObject = {
  splitExternalLocalOriginErrors: true,
  consecutiveLocalOriginFailures: 3,
  consecutiveGatewayErrors: 4,
  consecutive5xxErrors: 0,
  interval: "5s",
  baseEjectionTime: "60s",
  maxEjectionPercent: 50,
  minHealthPercent: 20,
};
