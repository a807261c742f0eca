/**
 * What the mesh configuration and the environment say to the builders.
 *
 * @module
 */
import type { Read } from "../graph/mod.ts";
import { formatDuration } from "../base/mod.ts";
import { choose, LEVEL_JOINT, type Mesh, MESH_ROW, type Tell } from "../derive/mod.ts";
import { create, durationMs, durationOf } from "../proto/mod.ts";
import {
  type LocalityLoadBalancerSetting as LocalitySetting,
  LocalityLoadBalancerSettingSchema as LocalitySettingSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  MeshConfig_H2UpgradePolicy,
  MeshConfig_ProxyPathNormalization_NormalizationType as Normalization,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  BLACK_HOLE_CLUSTER,
  type MeshClusterDefaults,
  PASSTHROUGH_CLUSTER,
} from "./cluster/mod.ts";
import type { Context, Family } from "./context.ts";
import type { Flavour } from "./flavour.ts";
import type { ManagerDefaults, PathNormalization } from "./listener/mod.ts";
import { settingsOf } from "./proxy_settings.ts";
import { signalsFor } from "./signals.ts";
import { outboundPolicy } from "./route_tables.ts";
import type { CatchAll, MeshRouteDefaults } from "./route/mod.ts";

/** Built-in connect timeout, ms (G54 of the mesh configuration's defaults). */
const CONNECT_TIMEOUT_MS = 10_000;

/** Built-in DNS refresh rate, ms. */
const DNS_REFRESH_MS = 60_000;

/** What holds for localities where a rule says nothing; `undefined`: nothing does, it is switched off. */
export function meshLocality(read: Read, mesh: Mesh): LocalitySetting | undefined {
  const setting = mesh.field(read, "localityLbSetting") ?? create(LocalitySettingSchema);
  return setting.enabled === false ? undefined : setting;
}

/** How often names are looked up again. */
function dnsRefreshRate(
  read: Read,
  mesh: Mesh,
): { readonly ms: number; readonly builtIn: boolean } {
  const rate = mesh.field(read, "dnsRefreshRate");
  return {
    ms: rate === undefined ? DNS_REFRESH_MS : durationMs(rate),
    builtIn: rate === undefined,
  };
}

/** Defaults of clusters for proxies of an address family. */
export function clusterDefaults(
  read: Read,
  { mesh, features }: Context,
  family: Family,
): MeshClusterDefaults {
  const connect = mesh.field(read, "connectTimeout");
  const refresh = dnsRefreshRate(read, mesh);
  return {
    builtIn: { connectTimeout: connect === undefined, dnsRefreshRate: refresh.builtIn },
    connectTimeoutMs: connect === undefined ? CONNECT_TIMEOUT_MS : durationMs(connect),
    tcpKeepalive: mesh.field(read, "tcpKeepalive"),
    dnsRefreshRateMs: refresh.ms,
    dnsJitterMs: features.dnsJitterMs,
    family,
    h2Upgrade: mesh.field(read, "h2UpgradePolicy") === MeshConfig_H2UpgradePolicy.UPGRADE,
    localityLb: meshLocality(read, mesh),
    alwaysWeighLocalities: features.weighLocalities,
    targetPortOfNone: features.targetPortOfNone,
    drainingLabel: features.drainingLabel,
    sendUnhealthyEndpoints: features.sendUnhealthyEndpoints,
    telemetryLabel: features.telemetryLabel,
    canonicalOutside: features.canonicalOutside,
    preferRuleTls: features.preferRuleTls,
    statNames: {
      inbound: mesh.field(read, "inboundClusterStatName"),
      outbound: mesh.field(read, "outboundClusterStatName"),
    },
    autoSni: features.autoSni,
    tls: mesh.field(read, "tlsDefaults"),
    sessions: features.sessions,
    headlessEds: features.headlessEds,
  };
}

/** Defaults of routes. */
export function routeDefaults(read: Read, context: Context): MeshRouteDefaults {
  const { mesh, features } = context;
  return {
    ...context.settings(read, "routes"),
    defaultHttpRetryPolicy: mesh.field(read, "defaultHttpRetryPolicy"),
    excludeUnsafe503: features.excludeUnsafe503,
  };
}

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
  const names = telemetry.replace("!", "").split(LEVEL_JOINT).filter((name) => name !== "");
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

/**
 * Where a listener that meets arbitrary destinations sends what is none of its
 * own. One that traffic is not redirected to knows no other destination.
 */
export function fallthroughCluster(
  read: Read,
  context: Context,
  flavour: Flavour,
  sidecar: string,
  tell?: Tell,
): string | undefined {
  if (flavour.bound) return undefined;
  return clusterOutside(outboundPolicy(read, context, sidecar, tell));
}

/** Where connections go that no service claims. */
export function clusterOutside(policy: CatchAll): string {
  if (policy === "block_all") return BLACK_HOLE_CLUSTER;
  return typeof policy === "string" ? PASSTHROUGH_CLUSTER : policy.cluster;
}
