/**
 * Objects that select workloads by labels or Gateway: PeerAuthentication, RequestAuthentication
 * and AuthorizationPolicy, DataproxyFilter and WasmPlugin, Telemetry and ProxyConfig; those attached to
 * services at waypoints; the workload beside a proxy.
 *
 * @module
 */
export {
  changeKeys,
  type ChangeRef,
  changeRef,
  deriveFilters,
  type PatchedProxy,
  type Patches,
  type Patching,
  type PatchingOf,
  UNPATCHED,
} from "./filters.ts";
export type { ServedObject, WaypointTarget } from "./attached.ts";
export { deriveLevelOfService, deriveLevels } from "./levels.ts";
export { deriveOwnWorkloads, type OwnWorkload, type ProxyIdentity } from "./own_workload.ts";
export { modeOf, modesWithin, type PeerModes } from "./peer_authentication.ts";
export { deriveSecurity, type Security } from "./security.ts";
export { indexSelectors } from "./selection.ts";
