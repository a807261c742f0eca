/**
 * The kinds of the Gateway API: names, effective fields and validation rules, which are those of the
 * standard's own definitions.
 *
 * @module
 */
export { X_BACKEND, X_MESH } from "./backends.ts";
export { TCP_ROUTE, TLS_ROUTE, UDP_ROUTE } from "./connection_routes.ts";
export { GATEWAY_CLASS, KUBERNETES_GATEWAY, LISTENER_SET } from "./gateways.ts";
export { GRPC_ROUTE, HTTP_ROUTE } from "./http_route.ts";
export { BACKEND_TLS_POLICY, REFERENCE_GRANT } from "./policies.ts";
export { X_BACKEND_TRAFFIC_POLICY } from "./traffic_policy.ts";
