/**
 * The analyzers, one file each. Each finds one kind of mistake; `lib/analyze/codes.ts` has the
 * codes and sentences of their messages.
 *
 * @module
 */
export { DESTINATION_HOST } from "./destination_host.ts";
export { DESTINATION_SUBSET } from "./destination_subset.ts";
export { ENTRY_PROTOCOLS } from "./entry_protocols.ts";
export { GATEWAY_CONFLICTS } from "./gateway_conflicts.ts";
export { SIDECAR_SELECTORS, TELEMETRY_SELECTORS } from "./level_selectors.ts";
export { ACCESS_SELECTOR, POLICY_SELECTOR } from "./policy_selectors.ts";
export { ROUTE_DELEGATE } from "./route_delegate.ts";
export { ROUTE_GATEWAY } from "./route_gateway.ts";
export { ROUTE_HOSTS } from "./route_hosts.ts";
export { RULE_SUBSETS } from "./rule_subsets.ts";
