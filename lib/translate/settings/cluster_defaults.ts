/**
 * Defaults of clusters.
 *
 * @module
 */
import { MeshConfig_H2UpgradePolicy } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type LocalityLoadBalancerSetting as LocalitySetting,
  LocalityLoadBalancerSettingSchema as LocalitySettingSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { MeshClusterDefaults } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { create, durationMs } from "../../proto/mod.ts";
import { clientTlsDefaults } from "./tls_defaults.ts";
import { type BaseContext, dnsRefreshRate, type Family } from "../context/mod.ts";

/** Built-in connect timeout, ms (G54 of the mesh configuration's defaults). */
const CONNECT_TIMEOUT_MS = 10_000;

/** The locality setting where no rule has one; `undefined`: locality load balancing is disabled. */
export function meshLocality(read: Read, mesh: Mesh): LocalitySetting | undefined {
  const setting = mesh.field(read, "localityLbSetting") ?? create(LocalitySettingSchema);
  return setting.enabled === false ? undefined : setting;
}

/** Defaults of clusters for proxies of an address family. */
export function clusterDefaults(
  read: Read,
  { mesh, features }: BaseContext,
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
    endpointTelemetryLabel: features.telemetryLabel && features.endpointTelemetryLabel,
    canonicalOutside: features.canonicalOutside,
    preferRuleTls: features.preferRuleTls,
    statNames: {
      inbound: mesh.field(read, "inboundClusterStatName"),
      outbound: mesh.field(read, "outboundClusterStatName"),
    },
    autoSni: features.autoSni,
    tls: clientTlsDefaults(read, { mesh, features }),
    sessions: features.sessions,
    headlessEds: features.headlessEds,
  };
}
