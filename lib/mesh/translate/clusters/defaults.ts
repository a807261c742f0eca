/**
 * Defaults of clusters.
 *
 * @module
 */
import {
  MeshConfig_H2UpgradePolicy,
  type MeshConfig_TLSConfig as TlsDefaults,
  MeshConfig_TLSConfig_TLSProtocol as Least,
  MeshConfig_TLSConfigSchema,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import { FIPS_CIPHERS, FIPS_CURVES } from "../../../kit/base/mod.ts";
import type { MeshClusterDefaults } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { type Family, meshDuration } from "../context/mod.ts";
import type { BaseContext } from "./features.ts";
import { meshLocality } from "../endpoints/mod.ts";

/** Defaults of clusters for proxies of an address family. */
export function clusterDefaults(
  read: Read,
  { mesh, features }: BaseContext,
  family: Family,
): MeshClusterDefaults {
  const connect = meshDuration(read, mesh, "connectTimeout");
  const refresh = meshDuration(read, mesh, "dnsRefreshRate");
  return {
    builtIn: { connectTimeout: connect.builtIn, dnsRefreshRate: refresh.builtIn },
    connectTimeoutMs: connect.ms,
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
    tls: features.fips ? fipsClients() : mesh.field(read, "tlsDefaults"),
    sessions: features.sessions,
    headlessEds: features.headlessEds,
  };
}

/**
 * TLS settings towards services outside the mesh that FIPS 140-2 allows; as a client, Envoy uses at
 * most TLS 1.2 by default.
 */
function fipsClients(): TlsDefaults {
  return create(MeshConfig_TLSConfigSchema, {
    minProtocolVersion: Least.TLSV1_2,
    cipherSuites: [...FIPS_CIPHERS],
    ecdhCurves: [...FIPS_CURVES],
  });
}
