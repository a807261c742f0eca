/**
 * The Gateway API in the mesh: bindings and status, as derived tables.
 *
 * @module
 */
export { deriveGatewayApi, type GatewayApi, type GatewayApiBindings } from "./bindings.ts";
export { feedGatewayApi } from "./feeds.ts";
export { type GatewayApiIndexes, type ParentKey, parentKeys } from "./indexes.ts";
export {
  backendLookups,
  type GatewayApiInputs,
  gatewayLookups,
  policyLookups,
  routeLookups,
  serviceLookups,
} from "./lookups.ts";
export { type AllowedReference, type References } from "./references.ts";
export { materialOf } from "./material.ts";
export { deriveGatewayApiStatus, type GatewayApiStatus } from "./status.ts";
export {
  type GatewayApiOptions,
  type GatewayApiTables,
  gatewayApiTables,
  type RouteKey,
  routeKeys,
} from "./tables.ts";
export { clientCertificatesOf } from "./client_certificates.ts";
export { networkGatewaysOf } from "./network_gateways.ts";
