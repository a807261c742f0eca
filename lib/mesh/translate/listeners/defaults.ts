/**
 * Defaults of listeners.
 *
 * @module
 */
import { MeshConfig_ProxyPathNormalization_NormalizationType as Normalization } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { choose, formatDuration } from "../../../kit/base/mod.ts";
import { MESH_ROW } from "../../derive/mod.ts";
import type { ManagerDefaults, PathNormalization } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Duration, durationMs, durationOf } from "../../../kit/proto/mod.ts";
import { type ListenerVariant, meshDuration, settingsOf } from "../context/mod.ts";
import type { Context } from "./features.ts";

/** Defaults of the listeners of a variant. */
export function managerDefaults(
  read: Read,
  context: Context,
  variant: ListenerVariant,
): ManagerDefaults {
  const { mesh, features } = context;
  const detection = mesh.field(read, "protocolDetectionTimeout");
  recordDefaults(read, context, variant, detection);
  return {
    telemetry: read.get(context.telemetry, variant.telemetry).telemetry,
    settings: settingsOf(read, mesh, variant.settings),
    ...internalRanges(read, context),
    ...(features.announceDetectedHttp ? {} : { hideDetectedHttp: true }),
    listenerLog: !mesh.field(read, "disableDataproxyListenerLog"),
    pathNormalization: pathNormalization(read, context),
    http10: variant.http10 || features.http10,
    ...(variant.onDemand ? { onDemand: true } : {}),
    ...(variant.hostsOnDemand ? { hostsOnDemand: true } : {}),
    ...(features.sessions === undefined && !features.experimentalGatewayApi
      ? {}
      : { sessions: true }),
    ...(features.experimentalGatewayApi ? { apiFilters: true } : {}),
    idleTimeoutMs: variant.idleTimeoutMs,
    sidecarUseRemoteAddress: features.sidecarUseRemoteAddress,
    detectionTimeoutMs: detection === undefined ? 0 : durationMs(detection),
    proxy100Continue: features.proxy100Continue,
    lookup: {
      family: variant.family,
      dnsRefreshRateMs: meshDuration(read, mesh, "dnsRefreshRate").ms,
    },
  };
}

const DETECTION_TIMEOUT = {
  group: "protocolDetectionTimeout",
  show: (timeout: Duration) => formatDuration(durationMs(timeout)),
};

/** Records the sources of defaults that users ask about. */
function recordDefaults(
  read: Read,
  { mesh, features }: Context,
  { http10, idleTimeoutMs, telemetry }: ListenerVariant,
  detection: Duration | undefined,
): void {
  if (read.decide === undefined) return;
  choose<Duration>(read, DETECTION_TIMEOUT, [
    { value: detection, source: "mesh", field: "protocolDetectionTimeout" },
    { value: durationOf(0), source: "built-in" },
  ]);
  if (http10 || features.http10) {
    const own = { source: "proxy", field: "HTTP10" } as const;
    const all = { source: "environment", field: "PILOT_HTTP10" } as const;
    read.decide({ group: "http10", ...(http10 ? own : all), value: true });
  }
  if (idleTimeoutMs !== undefined) {
    const value = formatDuration(idleTimeoutMs);
    read.decide({ group: "idleTimeout", source: "proxy", field: "IDLE_TIMEOUT", value });
  }
  const file = mesh.field(read, "accessLogFile");
  read.decide({
    group: "accessLog",
    ...(file === "" ? { source: "built-in" } : { source: "mesh", field: "accessLogFile" }),
    value: file || "none",
  });
  for (const name of telemetry.resources) {
    read.decide({
      group: "telemetry",
      source: "object",
      object: `Telemetry/${name}`,
      field: "spec",
    });
  }
}

/** The ranges of the mesh networks, where a switch makes them internal addresses. */
function internalRanges(
  read: Read,
  { mesh, features }: Context,
): Pick<ManagerDefaults, "internalRanges"> {
  if (!features.internalNetworks) return {};
  const networks = Object.entries(read.get(mesh.tables.networks, MESH_ROW)?.networks ?? {});
  const ranges = networks.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, { endpoints }]) =>
    endpoints.flatMap(({ ne }) => ne.case === "fromCidr" ? [ne.value] : [])
  );
  return ranges.length === 0 ? {} : { internalRanges: ranges };
}

/** The default is `BASE`: dot segments and percent-encoding are resolved, slashes stay. */
function pathNormalization(read: Read, { mesh }: Context): PathNormalization {
  switch (mesh.field(read, "pathNormalization")?.normalization) {
    case Normalization.NONE:
      return "none";
    case Normalization.MERGE_SLASHES:
      return "merge-slashes";
    case Normalization.DECODE_AND_MERGE_SLASHES:
      return "decode-and-merge-slashes";
    default:
      return "base";
  }
}
