/**
 * Listeners, route tables and clusters of gateways.
 *
 * @module
 */
export { deriveAutomatic } from "./automatic.ts";
export { deriveGatewayClusters } from "./clusters.ts";
export { deriveCredentials } from "./credentials.ts";
export { deriveGatewayTables } from "./tables.ts";
