/**
 * Tracers: the messages of tracing providers (OpenTelemetry, Zipkin, Datadog, Lightstep, SkyWalking).
 *
 * @module
 */
import { HeaderValueOptionSchema } from "#envoy/config/core/v3/base_pb.ts";
import type { HttpServiceSchema } from "#envoy/config/core/v3/http_service_pb.ts";
import { DatadogConfigSchema } from "#envoy/config/trace/v3/datadog_pb.ts";
import type { Tracing_HttpSchema as ProviderSchema } from "#envoy/config/trace/v3/http_tracer_pb.ts";
import { OpenTelemetryConfigSchema } from "#envoy/config/trace/v3/opentelemetry_pb.ts";
import { SkyWalkingConfigSchema } from "#envoy/config/trace/v3/skywalking_pb.ts";
import {
  ZipkinConfig_CollectorEndpointVersion as ZipkinVersion,
  ZipkinConfig_TraceContextOption as ContextOption,
  ZipkinConfigSchema,
} from "#envoy/config/trace/v3/zipkin_pb.ts";
import { DynatraceResourceDetectorConfigSchema } from "#envoy/extensions/tracers/opentelemetry/resource_detectors/v3/dynatrace_resource_detector_pb.ts";
import { EnvironmentResourceDetectorConfigSchema } from "#envoy/extensions/tracers/opentelemetry/resource_detectors/v3/environment_resource_detector_pb.ts";
import { DynatraceSamplerConfigSchema } from "#envoy/extensions/tracers/opentelemetry/samplers/v3/dynatrace_sampler_pb.ts";
import type {
  MeshConfig_ExtensionProvider as ExtensionProvider,
  MeshConfig_ExtensionProvider_HttpHeader as HttpHeader,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  create,
  type DescMessage,
  type Duration,
  durationOf,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { parseServiceName } from "../../model/mod.ts";

/** The cluster of a port of a service that the mesh configuration names; `undefined` if there is none. */
export type ClusterOf = (service: string, port: number) => string | undefined;

/** The tracer of a provider. */
export type Tracer = MessageInitShape<typeof ProviderSchema>;

const TIMEOUT_MS = 10_000;

/** Service name of a tracer whose environment cannot set it. */
const SERVICE_NAME = "mesh-proxy";

/** @returns `undefined` for a provider that does not trace, or whose service does not exist */
export function tracerOf(
  { clusterOf, certain }: { readonly clusterOf: ClusterOf; readonly certain: boolean },
  { provider }: ExtensionProvider,
): Tracer | undefined {
  if (provider.case === "opentelemetry") return openTelemetry(provider.value, clusterOf);
  if (provider.case === "lightstep") return lightstep(provider.value, clusterOf);
  if (provider.case === "skywalking") return skyWalking(provider.value, clusterOf);
  if (provider.case !== "zipkin" && provider.case !== "datadog") return undefined;
  const { service, port } = provider.value;
  const cluster = clusterOf(service, port);
  if (cluster === undefined || !certain) return undefined;
  const hostname = parseServiceName(service).host;
  return provider.case === "zipkin"
    ? zipkin(provider.value, cluster, hostname)
    : tracer("datadog", DatadogConfigSchema, {
      collectorCluster: cluster,
      collectorHostname: hostname,
      serviceName: SERVICE_NAME,
    });
}

/** Reports if Envoy rejects a provider's tracer without its cluster. */
export function needsCluster({ provider }: ExtensionProvider): boolean {
  return provider.case === "zipkin" || provider.case === "datadog";
}

function tracer<D extends DescMessage>(
  name: string,
  schema: D,
  config: MessageInitShape<D>,
): Tracer {
  return {
    name: `envoy.tracers.${name}`,
    configType: { case: "typedConfig", value: packAny(schema, config) },
  };
}

type Sampler = NonNullable<Of<"opentelemetry">["sampling"]["value"]>;

/** A provider by its kind. */
export type Of<K> = Extract<ExtensionProvider["provider"], { case: K }>["value"];

function zipkin(of: Of<"zipkin">, cluster: string, hostname: string): Tracer {
  const path = of.path || "/api/v2/spans";
  const plain = of.timeout === undefined && of.headers.length === 0;
  return tracer("zipkin", ZipkinConfigSchema, {
    collectorCluster: cluster,
    collectorEndpoint: path,
    collectorHostname: hostname,
    collectorEndpointVersion: ZipkinVersion.HTTP_JSON,
    traceId128bit: !of.enable64bitTraceId,
    sharedSpanContext: false,
    traceContextOption: of.traceContextOption as number as ContextOption,
    collectorService: plain ? undefined : httpService(cluster, hostname, path, of),
  });
}

function openTelemetry(of: Of<"opentelemetry">, clusterOf: ClusterOf): Tracer | undefined {
  const cluster = clusterOf(of.service, of.port);
  if (cluster === undefined) return undefined;
  const hostname = parseServiceName(of.service).host;
  const target = { case: "envoyGrpc", value: { clusterName: cluster } } as const;
  return tracer("opentelemetry", OpenTelemetryConfigSchema, {
    serviceName: SERVICE_NAME,
    httpService: of.http && httpService(cluster, hostname, of.http.path || "/v1/traces", of.http),
    grpcService: of.http ? undefined : {
      targetSpecifier: target,
      timeout: of.grpc?.timeout,
      initialMetadata: (of.grpc?.initialMetadata ?? []).map(headerOf),
    },
    sampler: dynatraceSampler(of.sampling.value, clusterOf),
    resourceDetectors: [
      // The agent sets the service name.
      detector("environment", EnvironmentResourceDetectorConfigSchema),
      ...(of.resourceDetectors?.dynatrace
        ? [detector("dynatrace", DynatraceResourceDetectorConfigSchema)]
        : []),
    ],
  });
}

/** Their collectors accept OpenTelemetry; Envoy removed their own tracer. */
function lightstep(of: Of<"lightstep">, clusterOf: ClusterOf): Tracer | undefined {
  const cluster = clusterOf(of.service, of.port);
  if (cluster === undefined) return undefined;
  return tracer("opentelemetry", OpenTelemetryConfigSchema, {
    serviceName: SERVICE_NAME,
    grpcService: {
      targetSpecifier: { case: "envoyGrpc", value: { clusterName: cluster } },
      timeout: durationOf(TIMEOUT_MS),
      initialMetadata: of.accessToken === ""
        ? []
        : [{ key: "lightstep-access-token", value: of.accessToken }],
    },
    resourceDetectors: [detector("environment", EnvironmentResourceDetectorConfigSchema)],
  });
}

/** Default names of service and instance come from the proxy's node. */
function skyWalking(of: Of<"skywalking">, clusterOf: ClusterOf): Tracer | undefined {
  const cluster = clusterOf(of.service, of.port);
  if (cluster === undefined) return undefined;
  return tracer("skywalking", SkyWalkingConfigSchema, {
    grpcService: {
      targetSpecifier: { case: "envoyGrpc", value: { clusterName: cluster } },
      timeout: durationOf(TIMEOUT_MS),
    },
    clientConfig: of.accessToken === ""
      ? undefined
      : { backendTokenSpecifier: { case: "backendToken", value: of.accessToken } },
  });
}

/**
 * Lets Dynatrace set the sampling rate; `undefined` if its service does not exist: then every
 * request is traced.
 */
function dynatraceSampler(
  of: Sampler | undefined,
  clusterOf: ClusterOf,
): MessageInitShape<typeof OpenTelemetryConfigSchema>["sampler"] {
  const api = of?.httpService;
  const cluster = api && clusterOf(api.service, api.port);
  if (of === undefined || api === undefined || cluster === undefined) return undefined;
  const hostname = parseServiceName(api.service).host;
  return {
    name: "envoy.tracers.opentelemetry.samplers.dynatrace",
    typedConfig: packAny(DynatraceSamplerConfigSchema, {
      tenant: of.tenant,
      clusterId: of.clusterId,
      rootSpansPerMinute: of.rootSpansPerMinute,
      httpService: httpService(cluster, hostname, api.http?.path ?? "", api.http ?? NO_HTTP),
    }),
  };
}

const NO_HTTP = { headers: [] };

function detector(name: string, schema: DescMessage) {
  return {
    name: `envoy.tracers.opentelemetry.resource_detectors.${name}`,
    typedConfig: packAny(schema, {}),
  };
}

function httpService(
  cluster: string,
  hostname: string,
  path: string,
  { timeout, headers }: { readonly timeout?: Duration; readonly headers: readonly HttpHeader[] },
): MessageInitShape<typeof HttpServiceSchema> {
  return {
    httpUri: {
      uri: `http://${hostname}${path}`,
      httpUpstreamType: { case: "cluster", value: cluster },
      timeout: timeout ?? durationOf(TIMEOUT_MS),
    },
    requestHeadersToAdd: headers.map((header) =>
      create(HeaderValueOptionSchema, { header: headerOf(header) })
    ),
  };
}

/** Returns the value of a header, or the environment variable of the proxy that has it. */
function headerOf({ name, headerValue }: HttpHeader): { key: string; value: string } {
  const { case: from, value = "" } = headerValue;
  return { key: name, value: from === "envName" ? `%ENVIRONMENT(${value})%` : value };
}
