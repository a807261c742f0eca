/**
 * Egress listeners of Sidecar resources and the hosts they import.
 *
 * @module
 */
export { deriveEgress, type Egress, egressKey, egressOf, imported, routeName } from "./egress.ts";
