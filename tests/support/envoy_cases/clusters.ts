/**
 * For tests: clusters of every kind, by name. Each has a golden file, which a real Envoy validates.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  ClientTLSSettings_TLSmode,
  ClientTLSSettingsSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  blackHoleCluster,
  dynamicPassthroughCluster,
  inboundPassthroughCluster,
  parseDefaultEndpoint,
  passthroughCluster,
} from "../../../lib/mesh/envoy/mod.ts";
import { create } from "../../../lib/kit/proto/mod.ts";
import {
  CLUSTER_DEFAULTS,
  dnsEndpoints,
  EXTERNAL,
  FULL_OUTLIER,
  FULL_POOL,
  inbound,
  outbound,
  testEndpoint,
  testPort,
  testService,
  V1,
} from "./cluster_parts.ts";

/** Name of the case → the cluster. */
export const OUTBOUND_CASES: Readonly<Record<string, () => Cluster | undefined>> = {
  static: () => outbound(),
  static_subset: () => outbound({ subset: V1, rule: "default/reviews" }),
  http2: () => outbound({ port: testPort({ protocol: "GRPC", name: "grpc" }) }),
  undeclared: () => outbound({ port: testPort({ protocol: "Unsupported" }) }),
  undeclared_gateway: () =>
    outbound({ port: testPort({ protocol: "Unsupported" }), role: "router" }),
  none: () => outbound({ service: testService({ ...EXTERNAL, resolution: "NONE" }) }),
  none_target_port_off: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "NONE" }),
      defaults: { targetPortOfNone: false },
    }),
  proxy_protocol: () => outbound({ rulePolicy: { proxyProtocol: { version: "V2" } } }),
  proxy_protocol_tls: () =>
    outbound({
      rulePolicy: {
        proxyProtocol: {},
        tls: { mode: "SIMPLE", caCertificates: "/etc/mesh/ca.pem" },
      },
    }),
  none_gateway: () =>
    outbound({ service: testService({ ...EXTERNAL, resolution: "NONE" }), role: "router" }),
  dns_own_name: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "DNS" }),
      defaults: { dnsJitterMs: 100, family: "v6" },
    }),
  dns_endpoints: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "DNS" }),
      endpoints: dnsEndpoints,
      defaults: { family: "dual" },
    }),
  dns_subset: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "DNS" }),
      endpoints: dnsEndpoints,
      subset: { name: "v2", labels: { version: "v2" } },
    }),
  dns_round_robin: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "DNS_ROUND_ROBIN" }),
      endpoints: dnsEndpoints,
    }),
  pool: () => outbound({ rulePolicy: { connectionPool: FULL_POOL } }),
  pool_client_protocol: () =>
    outbound({
      rulePolicy: {
        connectionPool: { http: { useClientProtocol: true, maxConcurrentStreams: 5 } },
      },
      defaults: { h2Upgrade: true },
    }),
  retry_budget: () =>
    outbound({ rulePolicy: { retryBudget: { percent: 30, minRetryConcurrency: 5 } } }),
  outlier: () => outbound({ rulePolicy: { outlierDetection: FULL_OUTLIER } }),
  outlier_empty: () => outbound({ rulePolicy: { outlierDetection: {} } }),
  lb_round_robin_warmup: () =>
    outbound({
      rulePolicy: {
        loadBalancer: {
          simple: "ROUND_ROBIN",
          warmup: { duration: "30s", minimumPercent: 5, aggression: 2 },
        },
      },
    }),
  lb_least_request_warmup: () =>
    outbound({ rulePolicy: { loadBalancer: { warmupDurationSecs: "60s" } } }),
  lb_random: () => outbound({ rulePolicy: { loadBalancer: { simple: "RANDOM" } } }),
  lb_passthrough: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "DNS" }),
      endpoints: dnsEndpoints,
      rulePolicy: { loadBalancer: { simple: "PASSTHROUGH" } },
    }),
  lb_ring_hash: () =>
    outbound({
      rulePolicy: {
        loadBalancer: {
          consistentHash: { httpHeaderName: "x-user", ringHash: { minimumRingSize: "2048" } },
          localityLbSetting: { enabled: false },
        },
      },
    }),
  lb_hash_plain: () =>
    outbound({ rulePolicy: { loadBalancer: { consistentHash: { useSourceIp: true } } } }),
  lb_maglev: () =>
    outbound({
      rulePolicy: {
        loadBalancer: { consistentHash: { useSourceIp: true, maglev: { tableSize: "5003" } } },
      },
    }),
  localities_weighed: () => outbound({ defaults: { alwaysWeighLocalities: true } }),
  localities_shared: () =>
    outbound({
      rulePolicy: {
        loadBalancer: {
          localityLbSetting: { distribute: [{ from: "r1/*", to: { "r2/*": 100 } }] },
        },
      },
    }),
  localities_fail_over: () =>
    outbound({
      rulePolicy: {
        outlierDetection: {},
        loadBalancer: { localityLbSetting: { failover: [{ from: "r1", to: "r2" }] } },
      },
    }),
  dns_localities: () =>
    outbound({
      service: testService({ ...EXTERNAL, resolution: "DNS" }),
      endpoints: [
        testEndpoint({
          address: "far.example.com",
          locality: { region: "r2", zone: "", subzone: "" },
        }),
        testEndpoint({ address: "near.example.com" }),
      ],
      rulePolicy: { outlierDetection: {} },
      proxyLocality: {
        locality: { region: "r1", zone: "z2", subzone: "" },
        labels: {},
        network: "",
        view: [],
        rules: [],
      },
    }),
  tls_simple: () => outbound({ rulePolicy: { tls: { mode: "SIMPLE" } } }),
  tls_simple_full: () =>
    outbound({
      port: testPort({ protocol: "HTTP2" }),
      rulePolicy: {
        tls: {
          mode: "SIMPLE",
          caCertificates: "/etc/mesh/ca.pem",
          caCrl: "/etc/mesh/ca.crl",
          sni: "api.example.com",
          subjectAltNames: ["api.example.com", "spiffe://example.com/api"],
        },
      },
    }),
  tls_service_names: () =>
    outbound({
      service: testService({ subjectAltNames: ["spiffe://example.com/reviews"] }),
      rulePolicy: { tls: { mode: "SIMPLE", caCertificates: "/etc/mesh/ca.pem" } },
    }),
  tls_mutual_unverified: () =>
    outbound({
      rulePolicy: {
        tls: {
          mode: "MUTUAL",
          clientCertificate: "/etc/mesh/cert.pem",
          privateKey: "/etc/mesh/key.pem",
          insecureSkipVerify: true,
        },
      },
    }),
  tls_without_auto_sni: () =>
    outbound({
      rulePolicy: { tls: { mode: "SIMPLE", caCertificates: "/etc/mesh/ca.pem" } },
      defaults: { autoSni: false },
    }),
  tls_disabled_for_port: () =>
    outbound({
      rulePolicy: {
        tls: { mode: "SIMPLE" },
        portLevelSettings: [{ port: { number: 80 }, tls: { mode: "DISABLE" } }],
      },
    }),
  tls_issued_certificates: () => outbound({ rulePolicy: { tls: { mode: "MESH_MUTUAL" } } }),
  retry_budget_interval: () =>
    outbound({
      rulePolicy: { retryBudget: { percent: 25, minRetryConcurrency: 5, budgetInterval: "10s" } },
    }),
  outlier_codes: () =>
    outbound({
      rulePolicy: {
        outlierDetection: { consecutive5xxErrors: 3, outlierDetectionHttpErrorCodes: [503, 429] },
      },
    }),
  backend_utilization: () =>
    outbound({
      rulePolicy: {
        loadBalancer: {
          backendUtilization: {
            weightStabilizationPeriod: "5s",
            weightExpirationPeriod: "60s",
            weightUpdatePeriod: "1s",
            errorUtilizationPenaltyPercent: 150,
            metricNamesForComputingUtilization: ["named_metrics.queue"],
          },
          warmup: { duration: "30s", aggression: 2, minimumPercent: 10 },
        },
      },
    }),
  backend_utilization_by_locality: () =>
    outbound({
      rulePolicy: {
        loadBalancer: {
          backendUtilization: {},
          localityLbSetting: { distribute: [{ from: "*", to: { "r1": 100 } }] },
        },
      },
    }),
  dynamic_dns: () =>
    outbound({
      service: testService({ ...EXTERNAL, host: "*.example.com", resolution: "DYNAMIC_DNS" }),
    }),
  dynamic_dns_tls: () =>
    outbound({
      service: testService({ ...EXTERNAL, host: "*.example.com", resolution: "DYNAMIC_DNS" }),
      rulePolicy: { tls: { mode: "SIMPLE", sni: "front.example.com" } },
      defaults: { family: "dual", dnsRefreshRateMs: 5_000 },
    }),
  canonical_outside: () =>
    outbound({
      service: testService({
        ...EXTERNAL,
        resolution: "DNS",
        labels: { "service.mesh.io/canonical-name": "partner" },
      }),
      defaults: { canonicalOutside: true },
    }),
  subset_over_rule: () =>
    outbound({
      subset: V1,
      rule: "default/reviews",
      rulePolicy: {
        loadBalancer: { simple: "RANDOM" },
        connectionPool: { tcp: { maxConnections: 7 } },
      },
      subsetPolicy: { loadBalancer: { simple: "ROUND_ROBIN" } },
    }),
};

/** Name of the case → the cluster. */
export const INBOUND_CASES: Readonly<Record<string, () => Cluster>> = {
  inbound_original: () => inbound({}),
  inbound_original_port: () => inbound({ target: parseDefaultEndpoint("0.0.0.0:9000") }),
  inbound_loopback: () =>
    inbound({ target: parseDefaultEndpoint("127.0.0.1:9000"), protocol: "HTTP2" }),
  inbound_instance: () =>
    inbound({
      target: parseDefaultEndpoint("0.0.0.0:9000", () => "10.1.0.1"),
      rule: "default/reviews",
      mesh: { ...CLUSTER_DEFAULTS, family: "dual" },
    }),
  inbound_socket: () =>
    inbound({ target: parseDefaultEndpoint("unix:///var/run/app.sock"), protocol: "TCP" }),
  passthrough: () => passthroughCluster(CLUSTER_DEFAULTS),
  inbound_passthrough: () => inboundPassthroughCluster(CLUSTER_DEFAULTS),
  inbound_passthrough_v6: () => inboundPassthroughCluster({ ...CLUSTER_DEFAULTS, family: "v6" }),
  dynamic_passthrough: () => dynamicPassthroughCluster(CLUSTER_DEFAULTS),
  dynamic_passthrough_tls: () =>
    dynamicPassthroughCluster(
      CLUSTER_DEFAULTS,
      create(ClientTLSSettingsSchema, {
        mode: ClientTLSSettings_TLSmode.SIMPLE,
        caCertificates: "/etc/mesh/ca.pem",
        subjectAltNames: ["front.example.com"],
      }),
    ),
  black_hole: () => blackHoleCluster(CLUSTER_DEFAULTS),
};
