/**
 * Ambient mode in the mesh, as derived tables.
 *
 * @module
 */
export { type Ambient, type AmbientInputs, type AmbientTables, deriveAmbient } from "./ambient.ts";
export { type AmbientIndexes, type ListedEndpoint } from "./indexes.ts";
export { type AmbientNetworks, networkAt, type TunnelGateway } from "./networks.ts";
export { type AmbientPolicies, type PolicyKey, policyKeys } from "./policies.ts";
export { type ServiceAddress, serviceAt } from "./services.ts";
export {
  AMBIENT_STATUS_KINDS,
  type AmbientObject,
  type AmbientStatusTable,
  deriveAmbientStatus,
} from "./status.ts";
export { gatewayWorkloads, isNear, remoteWorkloads, serviceFrom } from "./remote.ts";
export { type RemoteService, remoteServices, type RemoteTables } from "./shares.ts";
export { deriveWaypoints, type Waypoints } from "./waypoints.ts";
export { listedWorkload, nodeWhole, type WorkloadAddress, workloadAt } from "./workloads.ts";
