/**
 * The analyzers, one file each. Each finds one kind of mistake; `lib/insight/analyze/codes.ts` has the
 * codes and sentences of their messages.
 *
 * @module
 */
export { DEPRECATED_FIELDS } from "./deprecated_fields.ts";
export { DESTINATION_HOST } from "./destination_host.ts";
export { DESTINATION_SUBSET } from "./destination_subset.ts";
export { EGRESS_PORTS } from "./egress_ports.ts";
export { ENTRY_ADDRESSES } from "./entry_addresses.ts";
export { ENTRY_PROTOCOLS } from "./entry_protocols.ts";
export { API_BACKENDS, API_GATEWAYS, API_LISTENER_SETS, API_ROUTES } from "./gateway_api.ts";
export { GATEWAY_CERTIFICATES } from "./gateway_certificates.ts";
export { GATEWAY_CONFLICTS, GATEWAY_WORKLOADS } from "./gateway_conflicts.ts";
export { INGRESS_SUBSETS } from "./ingress_subsets.ts";
export { SIDECAR_SELECTORS, TELEMETRY_SELECTORS } from "./level_selectors.ts";
export { PATCH_OPERATIONS } from "./patch_operations.ts";
export { ACCESS_SELECTOR, POLICY_SELECTOR } from "./policy_selectors.ts";
export { PRINCIPALS } from "./principals.ts";
export { ROUTE_DELEGATE } from "./route_delegate.ts";
export { ROUTE_GATEWAY } from "./route_gateway.ts";
export { ROUTE_HOSTS } from "./route_hosts.ts";
export { RULE_CERTIFICATES } from "./rule_certificates.ts";
export { RULE_SUBSETS } from "./rule_subsets.ts";
export { DEPRECATED_PROVIDERS, TELEMETRY_PROVIDERS } from "./telemetry_providers.ts";
export { TLS_CONFLICTS } from "./tls_conflicts.ts";
export { UNREACHABLE_RULES } from "./unreachable_rules.ts";
