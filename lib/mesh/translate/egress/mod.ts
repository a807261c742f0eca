/**
 * Egress listeners of Sidecar resources: the ports they open, and the hosts they import.
 *
 * @module
 */
export {
  type Egress,
  type EgressHost,
  egressHosts,
  type EgressMember,
  egressMembers,
  type EgressPortKey,
  egressPorts,
  type EgressTable,
  egressTables,
} from "./keys.ts";
export { deriveEgress } from "./tables.ts";
