/**
 * Addresses as node proxies are sent them: workloads and services.
 *
 * @module
 */
export { addressTexts, gatewayAddress, portOf } from "./parts.ts";
export { entranceAddress, gatewayWorkload, type NetworkEntrance, splitWorkload } from "./remote.ts";
export { loadBalancingOf, type ServiceFactsForAddress, serviceMessage } from "./services.ts";
export {
  canonicalOfWorkload,
  type ServedPorts,
  tunnelOf,
  type WorkloadFacts,
  workloadMessage,
} from "./workloads.ts";
export { type Selection, selectionsOf, servedBy } from "./selections.ts";
