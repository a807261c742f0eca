/**
 * Defaults of listeners.
 *
 * @module
 */
import { MeshConfig_ProxyPathNormalization_NormalizationType as Normalization } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { formatDuration } from "../../base/mod.ts";
import { choose, MESH_ROW, type Tell } from "../../derive/mod.ts";
import type { ManagerDefaults, PathNormalization } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { durationMs, durationOf } from "../../proto/mod.ts";
import type { Context, Flavour } from "../context/mod.ts";
import { dnsRefreshRate } from "./cluster_defaults.ts";
import { settingsOf } from "./proxy_settings.ts";
import { signalsFor, telemetryKeys } from "./telemetry.ts";

/** Defaults of listeners for proxies of a flavour. */
export function managerDefaults(
  read: Read,
  context: Context,
  flavour: Flavour,
  tell?: Tell,
): ManagerDefaults {
  const { mesh, features } = context;
  const detection = mesh.field(read, "protocolDetectionTimeout");
  choose(tell, "protocolDetectionTimeout", [
    { value: detection, source: "mesh", field: "protocolDetectionTimeout" },
    { value: durationOf(0), source: "built-in" },
  ], (timeout) => formatDuration(durationMs(timeout)));
  if (flavour.http10 || features.http10) {
    const own = { source: "proxy", field: "HTTP10" } as const;
    const all = { source: "environment", field: "PILOT_HTTP10" } as const;
    tell?.({ group: "http10", ...(flavour.http10 ? own : all), value: true });
  }
  if (flavour.idleTimeoutMs !== undefined) {
    const value = formatDuration(flavour.idleTimeoutMs);
    tell?.({ group: "idleTimeout", source: "proxy", field: "IDLE_TIMEOUT", value });
  }
  tellTelemetry(read, context, flavour, tell);
  return {
    signals: signalsFor(read, context, flavour.telemetry),
    settings: settingsOf(read, mesh, flavour.settings),
    ...internalRanges(read, context),
    ...(features.tellsFound ? {} : { quietAboutFound: true }),
    listenerLog: !mesh.field(read, "disableDataproxyListenerLog"),
    pathNormalization: pathNormalization(read, context),
    http10: flavour.http10 || features.http10,
    ...(flavour.onDemand ? { onDemand: true } : {}),
    ...(features.sessions === undefined ? {} : { sessions: true }),
    idleTimeoutMs: flavour.idleTimeoutMs,
    sidecarUseRemoteAddress: features.sidecarUseRemoteAddress,
    detectionTimeoutMs: detection === undefined ? 0 : durationMs(detection),
    proxy100Continue: features.proxy100Continue,
    lookup: { family: flavour.family, dnsRefreshRateMs: dnsRefreshRate(read, mesh).ms },
  };
}

/** Says whether requests are logged to a file, and which resources have a say. */
function tellTelemetry(
  read: Read,
  { mesh }: Context,
  { telemetry }: Flavour,
  tell: Tell | undefined,
): void {
  const file = mesh.field(read, "accessLogFile");
  tell?.({
    group: "accessLog",
    ...(file === "" ? { source: "built-in" } : { source: "mesh", field: "accessLogFile" }),
    value: file || "none",
  });
  const names = telemetryKeys.decode(telemetry.replace("!", ""));
  for (const name of names) {
    tell?.({ group: "telemetry", source: "object", object: `Telemetry/${name}`, field: "spec" });
  }
}

/** The mesh networks' ranges, where they are to be internal. */
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

/** The built-in choice is `BASE`: dot segments and percent-encoding are undone, slashes stay. */
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
