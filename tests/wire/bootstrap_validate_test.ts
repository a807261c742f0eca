/**
 * A real Envoy accepts every bootstrap file of the agent.
 *
 * @module
 */
import assert from "node:assert/strict";
import { durationOf, type JsonValue } from "../../lib/kit/proto/mod.ts";
import { planAgent } from "../../lib/node/agent/mod.ts";
import { type TestSettings, testSettings } from "../support/agent_settings.ts";
import { validateBootstrap } from "../support/envoy_validate.ts";

const CASES: Readonly<Record<string, TestSettings>> = {
  "a plain sidecar": {},
  "a router with state-of-the-world xDS": {
    flags: { role: "router", logAsJson: true, outlierLogPath: "/dev/stdout" },
    environ: { MESH_DELTA_XDS: "false", EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true" },
  },
  "addresses of IPv6 only": {
    addresses: { ips: ["2001:db8::1"], ipv6Only: true, both: false, loopbackOnly: false },
  },
  "both address families": {
    addresses: {
      ips: ["10.0.0.1", "2001:db8::1"],
      ipv6Only: false,
      both: true,
      loopbackOnly: false,
    },
    environ: { MESH_DUAL_STACK: "true" },
  },
  "both address families, IPv6 first, and local metrics": {
    addresses: {
      ips: ["2001:db8::1", "10.0.0.1"],
      ipv6Only: false,
      both: true,
      loopbackOnly: false,
    },
    environ: {
      MESH_DUAL_STACK: "true",
      METRICS_LOCALHOST_ACCESS_ONLY: "true",
      HOST_IP: "2001:db8::9",
    },
    proxy: {
      tracing: { tracer: { case: "datadog", value: { address: "$(HOST_IP):8126" } } },
      dataproxyMetricsService: { address: "metrics.example:15000" },
      statsdUdpAddress: "$(HOST_IP):9125",
    },
  },
  "load reporting, expressions by dots, a limit of connections, FIPS 140-2": {
    environ: {
      MESH_META_LOAD_STATS_CONFIG_JSON: JSON.stringify({
        api_type: "GRPC",
        transport_api_version: "V3",
        grpc_services: [{ envoy_grpc: { cluster_name: "xds-grpc" } }],
      }),
      ENABLE_DELIMITED_STATS_TAG_REGEX: "false",
      COMPLIANCE_POLICY: "fips-140-2",
    },
    proxy: {
      runtimeValues: {
        "overload.global_downstream_max_connections": "100",
        "re2.max_program_size.error_level": "",
      },
    },
  },
  "zipkin, statsd, metrics and access log services, runtime values": {
    proxy: {
      tracing: { tracer: { case: "zipkin", value: { address: "zipkin.example:9411" } } },
      statsdUdpAddress: "127.0.0.1:9125",
      dataproxyMetricsService: {
        address: "metrics.example:15000",
        tcpKeepalive: { probes: 3, time: durationOf(60_000), interval: durationOf(1_500) },
      },
      dataproxyAccessLogService: { address: "[2001:db8::9]:15000" },
      runtimeValues: { "envoy.reloadable_features.enable_cel_regex_precompilation": "true" },
      drainDuration: durationOf(5000),
    },
  },
  "datadog": {
    proxy: { tracing: { tracer: { case: "datadog", value: { address: "localhost:8126" } } } },
  },
  "lists of statistics": {
    proxy: {
      extraStatTags: ["dlp_success"],
      proxyStatsMatcher: { inclusionPrefixes: ["http.{pod_ip}_"], inclusionSuffixes: ["_rq"] },
    },
    annotations: {
      "sidecar.mesh.io/statsInclusionRegexps": "http.[0-9]*_8080.downstream_rq_time",
      "sidecar.mesh.io/statsHistogramBuckets": '{"mesh":[1,5.5,10],"envoy":[1,2]}',
      "sidecar.mesh.io/statsFlushInterval": "10s",
      "sidecar.mesh.io/statsEvictionInterval": "1m",
    },
  },
  ...Object.fromEntries(["brotli", "gzip", "zstd"].map((kind) => [
    `${kind} on the metrics listener`,
    { annotations: { "sidecar.mesh.io/statsCompression": kind } },
  ])),
};

for (const [name, settings] of Object.entries(CASES)) {
  Deno.test(`Envoy takes the bootstrap file with ${name}`, async () => {
    const { bootstrap } = planAgent(testSettings(settings));
    const { accepted, log } = await validateBootstrap(JSON.parse(bootstrap) as JsonValue);
    assert.ok(accepted, log);
    assert.doesNotMatch(log, /deprecated|unknown field/i);
  });
}

Deno.test("Envoy refuses what is no bootstrap file", async () => {
  const { accepted } = await validateBootstrap({ static_resources: { clusters: [{ name: 1 }] } });
  assert.equal(accepted, false);
});
