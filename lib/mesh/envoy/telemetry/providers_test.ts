/**
 * The real Envoy accepts the configuration of every provider, also if the cluster of the provider's
 * service does not exist.
 */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { MeshConfig_ExtensionProviderSchema as ProviderSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { TelemetrySchema } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import { validateBootstrap } from "../../../../tests/support/envoy_validate.ts";
import { fromJson, type JsonObject, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import { outboundHttpListener, outboundTcpListener } from "../listeners/mod.ts";
import { buildTelemetry } from "./telemetry.ts";
import { needsCluster } from "./tracers.ts";

const at = { service: "a.test", port: 80 };

/** Providers with all effective fields. */
const PROVIDERS: Readonly<Record<string, JsonObject>> = {
  prometheus: { prometheus: {} },
  file: { dataproxyFileAccessLog: { path: "/dev/null", omitEmptyValues: true } },
  text: { dataproxyFileAccessLog: { path: "/dev/null", logFormat: { text: "%PROTOCOL%" } } },
  labels: { dataproxyFileAccessLog: { logFormat: { labels: { a: { b: "%PROTOCOL%" } } } } },
  http: {
    dataproxyHttpAls: {
      ...at,
      filterStateObjectsToLog: ["a"],
      additionalRequestHeadersToLog: ["b"],
      additionalResponseHeadersToLog: ["c"],
      additionalResponseTrailersToLog: ["d"],
    },
  },
  tcp: { dataproxyTcpAls: { ...at, logName: "x", filterStateObjectsToLog: ["a"] } },
  otelLogs: { dataproxyOtelAls: { ...at, logFormat: { text: "x", labels: { a: "%PROTOCOL%" } } } },
  otlp: {
    opentelemetry: {
      ...at,
      maxTagLength: 9,
      grpc: { timeout: "1s", initialMetadata: [{ name: "a", envName: "HOME" }] },
      resourceDetectors: { environment: {}, dynatrace: {} },
    },
  },
  otlpHttp: {
    opentelemetry: {
      ...at,
      http: { path: "/v1", timeout: "1s", headers: [{ name: "a", value: "b" }] },
    },
  },
  zipkin: { zipkin: { ...at, path: "/spans", enable64bitTraceId: true } },
  zipkinHeaders: {
    zipkin: {
      ...at,
      timeout: "1s",
      headers: [{ name: "a", value: "b" }],
      traceContextOption: "USE_B3_WITH_W3C_PROPAGATION",
    },
  },
  datadog: { datadog: at },
  lightstep: { lightstep: { ...at, accessToken: "t", maxTagLength: 9 } },
  skywalking: { skywalking: { ...at, accessToken: "t" } },
  sampled: {
    opentelemetry: {
      ...at,
      dynatraceSampler: {
        tenant: "t",
        clusterId: 5,
        rootSpansPerMinute: 100,
        httpService: { ...at, http: { path: "/samples", headers: [{ name: "a", value: "b" }] } },
      },
    },
  },
};

/** Telemetry that uses every provider. */
const TELEMETRY: JsonObject = {
  metrics: [{ overrides: [{ tagOverrides: { path: { value: "request.path" } } }] }],
  accessLogging: [{ filter: { expression: "response.code >= 400 || !has(request.headers)" } }],
  tracing: [{
    randomSamplingPercentage: 12.5,
    useRequestIdForTraceSampling: false,
    customTags: {
      a: { literal: { value: "1" } },
      b: { environment: { name: "B", defaultValue: "b" } },
      c: { header: { name: "c" } },
      d: { formatter: { value: "%REQ(d)%" } },
    },
  }],
};

const CLUSTER = "outbound|80||a.test";

for (const [name, definition] of Object.entries(PROVIDERS)) {
  Deno.test(`a real Envoy takes the provider ${name}`, async () => {
    const provider = fromJson(ProviderSchema, { name, ...definition });
    const { telemetry } = buildTelemetry({
      levels: [fromJson(TelemetrySchema, TELEMETRY)],
      providers: [provider],
      defaults: { logs: [name], metrics: [name], tracing: [name] },
      builtInTracer: false,
      certain: true,
      sampling: 1,
      // A cluster name with characters that are special in formats, expressions and rewrites.
      clusterId: `it's \\1 (a)% "b"`,
      exchangeMetadata: true,
      clusterOf: () => CLUSTER,
    });
    const { http, tcp, tracing } = telemetry.client;
    assert.ok(http.length + tcp.length > 0 || tracing !== undefined, "nothing came of it");
    const manager = {
      telemetry,
      listenerLog: true,
      pathNormalization: "base",
      http10: false,
      sidecarUseRemoteAddress: false,
      detectionTimeoutMs: 0,
      proxy100Continue: true,
    } as const;
    const binding = { bind: "127.0.0.1", bindToPort: true, manager };
    const chains = [{ clusters: [{ cluster: CLUSTER, weight: 1 }], statPrefix: "s" }];
    const listeners = [
      outboundHttpListener({ ...binding, port: 20_001, routeName: "80" }),
      outboundTcpListener({ ...binding, port: 20_002, chains }),
    ];
    const clusters = ["xds", ...(needsCluster(provider) ? [CLUSTER] : [])];
    const verdict = await validateBootstrap({
      node: { id: "a", cluster: "a" },
      dynamicResources: {
        adsConfig: {
          apiType: "GRPC",
          transportApiVersion: "V3",
          grpcServices: [{ envoyGrpc: { clusterName: "xds" } }],
        },
      },
      staticResources: {
        clusters: clusters.map((cluster) => ({ name: cluster, connectTimeout: "1s" })),
        listeners: listeners.map((one) => toJson(ListenerSchema, one, { registry: SERVED_TYPES })),
      },
    });
    assert.ok(verdict.accepted, verdict.log);
  });
}
