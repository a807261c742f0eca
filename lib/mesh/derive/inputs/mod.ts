/**
 * The input tables of all kinds, the keys of derived tables, and properties of single rows:
 * visibility (`exportTo`), protocols of ports, route names, labels of workloads.
 *
 * @module
 */
export {
  ADDRESS_GROUPS,
  allocationOf,
  fnv,
  GROUP_SIZE,
  groupAt,
  groupOf,
  isAutoAllocated,
} from "./address_groups.ts";
export { type Asked, type AskedName, askedNames, createAsked } from "./asked.ts";
export {
  type EgressKey,
  egressKeys,
  type HostKey,
  hostKeys,
  type LabelKey,
  labelKeys,
  type Labels,
  type LabelsKey,
  labelsKeys,
  labelValueKeys,
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  listenersKeys,
  type PortKey,
  portKeys,
  type SidecarKey,
  sidecarKeys,
  type Workload,
  workloadKeys,
} from "./keys.ts";
export { isHeadless, isRange, listenersOf } from "./listener_members.ts";
export { deriveMesh, MESH_ROW, type MeshField } from "./mesh.ts";
export { namespacePreference, nearnessOf, preferenceOf } from "./nearness.ts";
export { protocolOf } from "./protocol.ts";
export {
  boundToMesh,
  destinationsOf,
  isParticular,
  selectsConnections,
  selectsLabels,
} from "./route_names.ts";
export {
  createTables,
  type KeySet,
  TABLE_KINDS,
  type TableKind,
  tableOf,
  type Tables,
} from "./tables.ts";
export { workloadLabels } from "./workload_labels.ts";
export { ownVisibility, seenBy, visibilityOf, visibleTo } from "./visibility.ts";
