/**
 * Sidecar resources: what proxies import, and where they are.
 *
 * @module
 */
export {
  deriveLocalities,
  type Localities,
  localityKeys,
  type LocatedClass,
  type LocatedKey,
} from "./localities.ts";
export { deriveScopes, type Scopes } from "./scopes.ts";
