/**
 * The resource kinds, one file each: names, effective fields and validation rules of
 * VirtualService, DestinationRule, Gateway, ServiceEntry, Sidecar, AuthorizationPolicy and the
 * others. `lib/mesh/schema/kinds.ts` has the table of them.
 *
 * @module
 */
export { AUTHORIZATION_POLICY, DRY_RUN } from "./authorization_policy.ts";
export {
  DATAPROXY_FILTER,
  patchEnumValues,
  patchTarget,
  readPatchValue,
} from "./dataproxy_filter.ts";
export { DESTINATION_RULE } from "./destination_rule.ts";
export {
  BACKEND_TLS_POLICY,
  GATEWAY_CLASS,
  GRPC_ROUTE,
  HTTP_ROUTE,
  KUBERNETES_GATEWAY,
  LISTENER_SET,
  REFERENCE_GRANT,
  TCP_ROUTE,
  TLS_ROUTE,
  UDP_ROUTE,
  X_BACKEND,
  X_BACKEND_TRAFFIC_POLICY,
  X_MESH,
} from "./gateway_api/mod.ts";
export { GATEWAY } from "./gateway.ts";
export { NAMESPACE } from "./namespace.ts";
export { PEER_AUTHENTICATION } from "./peer_authentication.ts";
export { PROXY_CONFIG } from "./proxy_config.ts";
export { REQUEST_AUTHENTICATION } from "./request_authentication.ts";
export { SERVICE_ENTRY } from "./service_entry.ts";
export { SIDECAR } from "./sidecar.ts";
export { TELEMETRY } from "./telemetry.ts";
export { VIRTUAL_SERVICE } from "./virtual_service.ts";
export { type ModuleOrigin, moduleOrigin, WASM_PLUGIN } from "./wasm_plugin.ts";
export { WORKLOAD_ENTRY } from "./workload_entry.ts";
export { WORKLOAD_GROUP } from "./workload_group.ts";
