/**
 * Objects that select workloads: security policies, patches and plugins, telemetry.
 *
 * @module
 */
export {
  changeKeys,
  type ChangeRef,
  changeRef,
  deriveFilters,
  type PatchedProxy,
  type Patching,
  type PatchingOf,
  UNPATCHED,
} from "./filters.ts";
export { deriveLevels } from "./levels.ts";
export { deriveSecurity, modeOf, type PeerModes, type Security } from "./security.ts";
