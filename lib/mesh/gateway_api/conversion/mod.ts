/**
 * Conversion of the objects of the Gateway API to those of Mesh: listeners to Gateways, routes to
 * VirtualServices, policies to DestinationRules. Pure.
 *
 * @module
 */
export { backendEntry, backendRule } from "./api_backends.ts";
export { type BoundPolicy, convertPolicies, type TargetService } from "./backend_tls.ts";
export { compareMatches, convertMatch } from "./http_matches.ts";
export { convertGateway, isAutomatic, listenerKey, type ListenerLookups } from "./listeners.ts";
export { byRoutePrecedence, groupIndex, mergeAll, mergeRoutes } from "./merge.ts";
export {
  type ConversionContext,
  convertedKey,
  type ConvertedRoute,
  convertRoute,
  type RoutePart,
} from "./routes.ts";
export { type RouteFaults, routeFaults } from "./route_faults.ts";
export {
  GATEWAY_SEMANTICS,
  GATEWAY_SERVICE,
  isConverted,
  isOfBackendTls,
  isOfPolicies,
  PARENTS_ANNOTATION,
  ROUTE_SEMANTICS,
  writtenName,
  type WrittenObject,
  writtenObjects,
} from "./rows.ts";
