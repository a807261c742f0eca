/**
 * Features of the Gateway API that Mesh has, by the names of the standard. The conformance suite tests
 * each of them.
 *
 * @module
 */

/** Names of features, sorted. */
export const SUPPORTED_FEATURES: readonly string[] = [
  "BackendTLSPolicy",
  "BackendTLSPolicySANValidation",
  "GRPCRoute",
  "GRPCRouteNamedRouteRule",
  "Gateway",
  "GatewayAddressEmpty",
  "GatewayBackendClientCertificate",
  "GatewayFrontendClientCertificateValidation",
  "GatewayFrontendClientCertificateValidationInsecureFallback",
  "GatewayHTTPListenerIsolation",
  "GatewayHTTPSListenerDetectMisdirectedRequests",
  "GatewayInfrastructure",
  "GatewayPort8080",
  "GatewayStaticAddresses",
  "HTTPRoute",
  "HTTPRoute303RedirectStatusCode",
  "HTTPRoute307RedirectStatusCode",
  "HTTPRoute308RedirectStatusCode",
  "HTTPRouteBackendProtocolH2C",
  "HTTPRouteBackendProtocolWebSocket",
  "HTTPRouteBackendRequestHeaderModification",
  "HTTPRouteBackendTimeout",
  "HTTPRouteCORS",
  "HTTPRouteDestinationPortMatching",
  "HTTPRouteHostRewrite",
  "HTTPRouteMethodMatching",
  "HTTPRouteNamedRouteRule",
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
  "ListenerSet",
  "ReferenceGrant",
  "TCPRoute",
  "TLSRoute",
  "TLSRouteModeMixed",
  "TLSRouteModeTerminate",
  "UDPRoute",
];

/** Names of features of the mesh, which the status of an XMesh has; sorted. */
export const MESH_FEATURES: readonly string[] = [
  "GRPCRoute",
  "HTTPRoute",
  "HTTPRouteParentRefPort",
  "HTTPRouteResponseHeaderModification",
  "Mesh",
  "MeshConsumerRoute",
  "MeshHTTPRouteBackendRequestHeaderModification",
  "MeshHTTPRouteNamedRouteRule",
  "MeshHTTPRouteQueryParamMatching",
  "MeshHTTPRouteRedirectPath",
  "MeshHTTPRouteRedirectPort",
  "MeshHTTPRouteRewritePath",
  "MeshHTTPRouteSchemeRedirect",
];
