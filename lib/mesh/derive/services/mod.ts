/**
 * Services from ServiceEntries: ports, endpoints with WorkloadEntries, auto-allocated addresses,
 * networks with their gateways, and the services that a workload serves.
 *
 * @module
 */
export { deriveAutoAddresses } from "./addresses.ts";
export { localityOf } from "./endpoints.ts";
export { deriveNetworks, type NetworkMap, networkOf, type Networks } from "./networks.ts";
export { mergedPorts, type PortConflict, portConflicts } from "./ports.ts";
export { deriveServices, type Services } from "./services.ts";
export { deriveTargets } from "./targets.ts";
export { definingEntries } from "./definitions.ts";
