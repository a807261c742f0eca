/**
 * Telemetry of workloads: one cell for each set of Telemetry resources, shared by all workloads that
 * the set applies to.
 *
 * @module
 */
import { MeshConfig_AccessLogEncoding as Encoding } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { Mesh } from "../../derive/mod.ts";
import {
  type AccessLogSettings,
  buildTelemetry,
  clusterName,
  needsCluster,
  type TelemetryResult,
  tracingRule,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { OmittedFeature, ProxyClass, Role } from "../../model/mod.ts";
import {
  type MeshContext,
  namedHost,
  type TelemetryKey,
  telemetryKeys,
  type TelemetryTable,
} from "../context/mod.ts";
import type { BaseContext } from "./features.ts";

/** Creates the table. */
export function deriveTelemetry(context: BaseContext): TelemetryTable {
  const { mesh, features } = context;
  return mesh.graph.derive<TelemetryResult, TelemetryKey>(
    "telemetry.sides",
    telemetryKeys,
    (read, { resources, tracerMissing, missing }) => {
      const proxy = mesh.field(read, "defaultConfig");
      return buildTelemetry({
        levels: levelsOf(read, mesh, resources),
        providers: mesh.field(read, "extensionProviders"),
        defaults: defaultsOf(read, mesh),
        file: accessLogFile(read, mesh),
        logService: mesh.field(read, "enableDataproxyAccessLogService"),
        tracing: proxy?.tracing,
        builtInTracer: mesh.field(read, "enableTracing") &&
          (proxy?.zipkinAddress !== "" && proxy !== undefined ||
            ["zipkin", "datadog"].includes(proxy?.tracing?.tracer.case ?? "")),
        certain: !tracerMissing,
        missing,
        tunnels: features.tunnels !== undefined,
        sampling: features.traceSampling,
        exchangeMetadata: features.exchangeMetadata,
        clusterId: context.clusterId,
        forgets: features.forgetMetrics,
        clusterOf: (service, port) => {
          const host = namedHost(read, context, service);
          return host === undefined ? undefined : clusterName("outbound", port, "", host);
        },
      });
    },
    { equal: (a, b) => a.digest === b.digest },
  );
}

/** The specifications of Telemetry resources, the least specific first. */
function levelsOf(read: Read, { tables }: Mesh, names: readonly string[]) {
  return names.map((name) => read.get(tables.telemetries, name)?.spec)
    .filter((spec) => spec !== undefined);
}

/** The default providers. Where the mesh names none for metrics it is the one called `prometheus`. */
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

/** The properties of a workload that its telemetry depends on. */
type TelemetryWorkload = Pick<ProxyClass, "namespace" | "labels" | "options" | "missing"> & {
  readonly role: Role;
};

/**
 * The telemetry key of a workload.
 *
 * @param sidecar the Sidecar that narrows what it sees; `""` for none
 */
export function telemetryKey(
  read: Read,
  context: MeshContext,
  workload: TelemetryWorkload,
  sidecar: string,
): TelemetryKey {
  return keyWith(read, context, { workload, sidecar }, read.get(context.mesh.telemetry, workload));
}

/**
 * The telemetry key of a service at a waypoint.
 *
 * @param object the object that defines it, `Kind/namespace/name`
 */
export function telemetryKeyAt(
  read: Read,
  context: MeshContext,
  waypoint: TelemetryWorkload,
  object: string,
): TelemetryKey {
  const { mesh } = context;
  const all = [
    ...read.get(mesh.telemetry, waypoint),
    ...read.get(mesh.telemetryOfService, object),
  ];
  return keyWith(read, context, { workload: waypoint, sidecar: "" }, [...new Set(all)]);
}

function keyWith(
  read: Read,
  context: MeshContext,
  { workload, sidecar }: { readonly workload: TelemetryWorkload; readonly sidecar: string },
  resources: readonly string[],
): TelemetryKey {
  const { mesh } = context;
  const missing = workload.missing?.filter((feature) => TELEMETRY_FEATURES.has(feature)) ?? [];
  const lacks = missing.length === 0 ? {} : { missing };
  const levels = levelsOf(read, mesh, resources);
  const providers = mesh.field(read, "extensionProviders");
  for (const direction of ["client", "server"] as const) {
    const { provider: name } = tracingRule(levels, direction, defaultsOf(read, mesh));
    const provider = providers.find((one) => one.name === name);
    if (provider === undefined || !needsCluster(provider)) continue;
    const { value } = provider.provider;
    const service = value !== undefined && "service" in value ? value.service : "";
    const host = namedHost(read, context, service);
    if (host !== undefined && !reaches(read, mesh, { workload, sidecar, host })) {
      return { resources, tracerMissing: true, ...lacks };
    }
  }
  return { resources, tracerMissing: false, ...lacks };
}

/** The features that telemetry uses. */
const TELEMETRY_FEATURES: ReadonlySet<OmittedFeature> = new Set(["metrics", "formatted-tags"]);

/** Reports if a workload certainly has the clusters of a host. */
function reaches(
  read: Read,
  mesh: Mesh,
  { workload: { namespace, options }, sidecar, host }: {
    readonly workload: TelemetryWorkload;
    readonly sidecar: string;
    readonly host: string;
  },
): boolean {
  if (options.ODCDS === "true") return false;
  if (sidecar === "") return read.get(mesh.services.resolve, { namespace, host }) !== undefined;
  return read.get(mesh.scopes.egressHosts, { namespace, sidecar, listener: undefined }).includes(
    host,
  );
}
