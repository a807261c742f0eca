/**
 * Sidecar resources: which one a proxy has, and the hosts that it imports; localities of proxy
 * classes; the hosts that differ in a namespace overlay.
 *
 * @module
 */
export { isClusterLocal } from "./cluster_local.ts";
export {
  type ClientCertificates,
  deriveLocalities,
  type Localities,
  localityKeys,
  type LocatedClass,
  type LocatedKey,
} from "./localities.ts";
export { deriveScopes, type Scopes } from "./scopes.ts";
