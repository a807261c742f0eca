/**
 * Environment variables of clusters, endpoints and their rules.
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const DATAPROXY_DNS_JITTER_DURATION = declareEnv({
  name: "DATAPROXY_DNS_JITTER_DURATION",
  type: "duration",
  default: 100,
  range: { least: 0 },
  doc: "Jitter added to periodic DNS resolution.",
  readers,
});

const PILOT_SEND_UNHEALTHY_ENDPOINTS = declareEnv({
  name: "PILOT_SEND_UNHEALTHY_ENDPOINTS",
  type: "bool",
  default: false,
  doc: "Send endpoints that are not ready, marked unhealthy, and disable the panic threshold.",
  readers,
});

const ENABLE_AUTO_SNI = declareEnv({
  name: "ENABLE_AUTO_SNI",
  type: "bool",
  default: true,
  doc: "Use the host of each request as TLS server name towards a service whose rule gives none.",
  readers,
});

const ENABLE_RESOLUTION_NONE_TARGET_PORT = declareEnv({
  name: "ENABLE_RESOLUTION_NONE_TARGET_PORT",
  type: "bool",
  default: true,
  doc: "Use targetPort in ServiceEntries of resolution NONE.",
  readers,
});

const PILOT_DRAINING_LABEL = declareEnv({
  name: "PILOT_DRAINING_LABEL",
  type: "string",
  default: "mesh.io/draining",
  doc: "Label of endpoints that are sent as draining; empty: none.",
  readers,
});

const ENABLE_ENHANCED_DESTINATIONRULE_MERGE = declareEnv({
  name: "ENABLE_ENHANCED_DESTINATIONRULE_MERGE",
  type: "bool",
  default: true,
  doc: "Merge DestinationRules of a host only where their exportTo is equal.",
  readers,
});

const ENABLE_LOCALITY_WEIGHTED_LB_CONFIG = declareEnv({
  name: "ENABLE_LOCALITY_WEIGHTED_LB_CONFIG",
  type: "bool",
  default: false,
  doc: "Weight localities in every cluster, not only where a locality setting requires it.",
  readers,
});

const PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES = declareEnv({
  name: "PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES",
  type: "bool",
  default: false,
  doc:
    "Balance over the endpoints of headless services (ServiceEntries of resolution NONE with a workloadSelector and no address) instead of using the client's destination.",
  readers,
});

const PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES = declareEnv({
  name: "PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES",
  type: "bool",
  default: true,
  doc:
    "For services outside the mesh, TLS settings of a DestinationRule win over those in metadata.",
  readers,
});

/** Switches that are read here. */
type ClustersFeatures = Pick<
  Features,
  | "dnsJitterMs"
  | "sendUnhealthyEndpoints"
  | "autoSni"
  | "preferRuleTls"
  | "targetPortOfNone"
  | "drainingLabel"
  | "headlessEds"
  | "mergeEqualExports"
  | "weighLocalities"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readClusters(): ClustersFeatures {
  return {
    dnsJitterMs: DATAPROXY_DNS_JITTER_DURATION.get(),
    sendUnhealthyEndpoints: PILOT_SEND_UNHEALTHY_ENDPOINTS.get(),
    autoSni: ENABLE_AUTO_SNI.get(),
    preferRuleTls: PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES.get(),
    targetPortOfNone: ENABLE_RESOLUTION_NONE_TARGET_PORT.get(),
    drainingLabel: PILOT_DRAINING_LABEL.get(),
    headlessEds: PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES.get(),
    mergeEqualExports: ENABLE_ENHANCED_DESTINATIONRULE_MERGE.get(),
    weighLocalities: ENABLE_LOCALITY_WEIGHTED_LB_CONFIG.get(),
  };
}
