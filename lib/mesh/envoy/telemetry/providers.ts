/**
 * Capabilities of the mesh configuration's extension providers.
 *
 * @module
 */
import type { MeshConfig_ExtensionProvider as ExtensionProvider } from "#mesh/mesh/v1alpha1/config_pb.ts";

/** Kinds of telemetry, by their names in configuration. */
export const TELEMETRY_KINDS = ["accessLogging", "metrics", "tracing"] as const;

/** One of {@link TELEMETRY_KINDS}. */
export type TelemetryKind = typeof TELEMETRY_KINDS[number];

type Kind = Exclude<ExtensionProvider["provider"]["case"], undefined>;

const FIT: Readonly<Record<TelemetryKind, readonly Kind[]>> = {
  accessLogging: [
    "dataproxyFileAccessLog",
    "dataproxyHttpAls",
    "dataproxyTcpAls",
    "dataproxyOtelAls",
  ],
  metrics: ["prometheus"],
  tracing: ["opentelemetry", "zipkin", "datadog", "lightstep", "skywalking"],
};

const PURPOSES: Readonly<Record<TelemetryKind, string>> = {
  accessLogging: "log",
  metrics: "take metrics",
  tracing: "take traces",
};

/** Provider kinds without an Envoy extension, and their replacement. */
const GONE: Readonly<Partial<Record<Kind, string>>> = {
  opencensus: "the proxy has no tracer for OpenCensus any more; collectors take OpenTelemetry",
  stackdriver: "the proxy has no extension for it; its collectors take OpenTelemetry",
};

/**
 * Returns why a provider cannot be used for something, as a sentence without full stop; `undefined`
 * if it can.
 *
 * @param provider the provider with that name; `undefined`: it does not exist
 */
export function unfit(
  name: string,
  provider: ExtensionProvider | undefined,
  purpose: TelemetryKind,
): string | undefined {
  const quoted = JSON.stringify(name);
  if (provider === undefined) return `there is no extension provider ${quoted}`;
  const kind = provider.provider.case;
  if (kind === undefined || FIT[purpose].includes(kind)) return undefined;
  const gone = GONE[kind];
  return gone === undefined
    ? `extension provider ${quoted} (${kind}) does not ${PURPOSES[purpose]}`
    : `extension provider ${quoted} does nothing: ${gone}`;
}
