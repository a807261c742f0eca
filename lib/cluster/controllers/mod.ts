/**
 * Controllers: they write to the orchestrator. Each runs in one daemon of several, by leader election.
 * A controller has a pure part, which computes the desired objects from the observed ones, and a shell
 * that follows the observed types and writes the differences.
 *
 * @module
 */
export {
  type Election,
  ELECTION_TIMING,
  type ElectionOptions,
  type ElectionState,
  type ElectionTiming,
  HOLDER_REVISION,
  joinElection,
  precedes,
} from "./election/election.ts";
export { type DefaultRevision, followDefaultRevision } from "./election/default_revision.ts";
export { MANAGER, type Term } from "./reconcile.ts";
export {
  desiredConfigMaps,
  type NamespaceSelection,
  ROOT_CONFIG_MAP,
  ROOT_KEY,
  ROOT_LABEL,
  type Roots,
  runRootCertificates,
} from "./root_certificates/root_certificates.ts";
export type { EntryItem } from "./registration/entries.ts";
export {
  type ProxyEvents,
  type ProxyExited,
  startProxyEvents,
} from "./proxy_events/proxy_events.ts";
export { HEARTBEAT_LABEL } from "./registration/heartbeat.ts";
export { runRegistration } from "./registration/registration.ts";
export { runAddresses } from "./addresses/addresses.ts";
export { statusPace } from "./status/pace.ts";
export { type Rollout, runStatus, type StatusInputs } from "./status/status.ts";
export {
  type BesideItem,
  type GatewayApiItem,
  type GatewayStatusInputs,
  runGatewayStatus,
} from "./gateway_status/gateway_status.ts";
export {
  type FollowedStatus,
  type FollowStatus,
  type GatewayApiName,
  NO_STATUS,
  PendingStatus,
} from "./gateway_status/pending.ts";
export type { GatewayApiObjectStatus, OwnParts } from "./gateway_status/merge.ts";
export { addressesOf, runIngressStatus } from "./ingress/ingress_status.ts";
export {
  type ExportedService,
  type ExportSelection,
  missingExports,
  runExports,
} from "./exports/exports.ts";
export {
  DEFAULTS_LABEL,
  type GatewayControllerInput,
  PILOT_ENABLE_AMBIENT_WAYPOINTS,
  PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER,
  PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER,
  runGateways,
} from "./gateways/mod.ts";
export { runUntaint, TAINT } from "./untaint/untaint.ts";
export {
  CONTROL_PLANE_CLUSTERS,
  controlClusters,
  type ControlledClusters,
  type ControlOptions,
  type ControlSources,
  namesControlPlane,
} from "./controlled_clusters/controlled_clusters.ts";
export {
  AMBIENT_ENABLE_STATUS,
  ENABLE_LEADER_ELECTION,
  EXTERNAL_MESHD,
  MESH_ENABLE_CONTROLLER_QUEUE_METRICS,
  PILOT_ANALYSIS_INTERVAL,
  PILOT_ENABLE_ANALYSIS,
  PILOT_ENABLE_GATEWAY_API_STATUS,
  PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS,
  REVISION,
} from "./variables.ts";
