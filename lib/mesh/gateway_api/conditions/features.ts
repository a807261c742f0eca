/**
 * Features of the Gateway API that Mesh has, by the names of the standard. The conformance suite tests
 * each of them.
 *
 * @module
 */

/** Names of features, sorted. */
export const SUPPORTED_FEATURES: readonly string[] = [
  "GRPCRoute",
  "Gateway",
  "GatewayPort8080",
  "HTTPRoute",
  "HTTPRouteBackendTimeout",
  "HTTPRouteDestinationPortMatching",
  "HTTPRouteHostRewrite",
  "HTTPRouteMethodMatching",
  "HTTPRouteParentRefPort",
  "HTTPRoutePathRedirect",
  "HTTPRoutePathRewrite",
  "HTTPRoutePortRedirect",
  "HTTPRouteQueryParamMatching",
  "HTTPRouteRequestMirror",
  "HTTPRouteRequestMultipleMirrors",
  "HTTPRouteRequestPercentageMirror",
  "HTTPRouteRequestTimeout",
  "HTTPRouteResponseHeaderModification",
  "HTTPRouteSchemeRedirect",
  "Mesh",
  "ReferenceGrant",
  "TLSRoute",
];
