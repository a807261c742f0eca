/**
 * Listeners, route tables, virtual hosts, clusters and credentials of gateways, from Gateways and
 * the VirtualServices bound to them.
 *
 * @module
 */
export { deriveAutomatic } from "./automatic.ts";
export { deriveGatewayClusters, providerHosts } from "./clusters.ts";
export { deriveDatagrams } from "./datagrams.ts";
export { type GatewayLayerTables, routerLayers } from "./layers.ts";
export { deriveGatewayTables } from "./tables.ts";
export type { GatewayFeatures } from "./features.ts";
