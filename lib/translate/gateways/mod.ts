/**
 * Listeners, route tables and clusters of gateways.
 *
 * @module
 */
export { automaticPlace, type AutomaticTables, deriveAutomatic } from "./automatic.ts";
export { deriveGatewayClusters, type GatewayClusterTables, placedKey } from "./clusters.ts";
export { deriveGatewayTables, type GatewayTables } from "./tables.ts";
