/**
 * What is logged, counted and traced: one cell for each set of Telemetry
 * resources, which all workloads share that the set applies to.
 *
 * @module
 */
import { MeshConfig_AccessLogEncoding as Encoding } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type Mesh } from "../../derive/mod.ts";
import {
  type AccessLogSettings,
  clusterName,
  needsCluster,
  type SignalSet,
  signalsOf,
  type TelemetryResult,
  tracingRule,
} from "../../envoy/mod.ts";
import { type KeyCodec, list, type Read, text } from "../../graph/mod.ts";
import type { ProxyClass, Role } from "../../model/mod.ts";
import { type Features, hostOf, type SignalTable } from "../context/mod.ts";

/** Row keys of Telemetry resources, joined by commas. */
export const telemetryKeys: KeyCodec<readonly string[]> = list(text);

/** At the end of a key: some clusters are not there. */
const UNCERTAIN = "!";

/** Creates the table. */
export function deriveSignals(
  context: { readonly mesh: Mesh; readonly features: Features; readonly clusterId: string },
): SignalTable {
  const { mesh, features } = context;
  return mesh.graph.derive<TelemetryResult>("telemetry.signals", (read, key) => {
    const certain = !key.endsWith(UNCERTAIN);
    const names = certain ? key : key.slice(0, -UNCERTAIN.length);
    const proxy = mesh.field(read, "defaultConfig");
    return signalsOf({
      levels: levelsOf(read, mesh, names),
      providers: mesh.field(read, "extensionProviders"),
      defaults: defaultsOf(read, mesh),
      file: accessLogFile(read, mesh),
      logService: mesh.field(read, "enableDataproxyAccessLogService"),
      tracing: proxy?.tracing,
      builtInTracer: mesh.field(read, "enableTracing") &&
        (proxy?.zipkinAddress !== "" && proxy !== undefined ||
          ["zipkin", "datadog"].includes(proxy?.tracing?.tracer.case ?? "")),
      certain,
      sampling: features.traceSampling,
      peersTell: features.peersTell,
      clusterId: context.clusterId,
      forgets: features.forgetMetrics,
      clusterOf: (service, port) => {
        const host = hostOf(read, context, service);
        return host === undefined ? undefined : clusterName("outbound", port, "", host);
      },
    });
  }, { equal: (a, b) => a.digest === b.digest });
}

function levelsOf(read: Read, { tables }: Mesh, names: string) {
  return telemetryKeys.decode(names)
    .map((name) => read.get(tables.telemetries, name)?.spec)
    .filter((spec) => spec !== undefined);
}

/** Where the mesh configuration names no provider of metrics, the one called `prometheus` is used. */
function defaultsOf(read: Read, mesh: Mesh) {
  const given = mesh.field(read, "defaultProviders");
  const metrics = given?.metrics ?? [];
  return {
    logs: given?.accessLogging ?? [],
    metrics: metrics.length > 0 ? metrics : ["prometheus"],
    tracing: given?.tracing ?? [],
  };
}

function accessLogFile(read: Read, mesh: Mesh): AccessLogSettings | undefined {
  const file = mesh.field(read, "accessLogFile");
  if (file === "") return undefined;
  const json = mesh.field(read, "accessLogEncoding") === Encoding.JSON;
  return { file, encoding: json ? "json" : "text", format: mesh.field(read, "accessLogFormat") };
}

/**
 * The key of a workload's signals: the resources that apply to it, and a mark when
 * it may lack the cluster of a tracer that proxies refuse without it. Then nothing
 * is traced.
 *
 * @param sidecar the Sidecar that narrows what it sees; `""` for none
 */
export function telemetryKey(
  read: Read,
  { mesh }: { readonly mesh: Mesh },
  cls: Pick<ProxyClass, "namespace" | "labels" | "options"> & { readonly role: Role },
  sidecar: string,
): string {
  const names = telemetryKeys.encode(read.get(mesh.telemetry, cls));
  const levels = levelsOf(read, mesh, names);
  const providers = mesh.field(read, "extensionProviders");
  for (const direction of ["client", "server"] as const) {
    const { provider: name } = tracingRule(levels, direction, defaultsOf(read, mesh));
    const provider = providers.find((one) => one.name === name);
    if (provider === undefined || !needsCluster(provider)) continue;
    const { value } = provider.provider;
    const service = value !== undefined && "service" in value ? value.service : "";
    const host = hostOf(read, { mesh }, service);
    if (host !== undefined && !reaches(read, mesh, cls, sidecar, host)) return names + UNCERTAIN;
  }
  return names;
}

function reaches(
  read: Read,
  mesh: Mesh,
  { namespace, options }: Pick<ProxyClass, "namespace" | "options">,
  sidecar: string,
  host: string,
): boolean {
  if (options.ODCDS === "true") return false;
  if (sidecar === "") return read.get(mesh.services.resolve, { namespace, host }) !== undefined;
  return read.get(mesh.scopes.egressHosts, { namespace, sidecar, listener: undefined }).includes(
    host,
  );
}

/** The signals of a key. */
export function signalsFor(
  read: Read,
  { signals }: { readonly signals: SignalTable },
  key: string,
): SignalSet {
  return read.get(signals, key).signals;
}
