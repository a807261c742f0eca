/**
 * Resource kinds: parse, default, validate. Pure.
 *
 * @module
 */
export {
  eachDocument,
  eachPiece,
  parseConfigDocuments,
  type ParsedDocument,
  type ParsedDocuments,
} from "./documents.ts";
export {
  type CheckedObject,
  checkObject,
  type ObjectProblem,
  type ParsedObject,
  type ReadOptions,
} from "./object.ts";
export { hintWorkloads } from "./foreign.ts";
export {
  findKind,
  isSupported,
  isTableKind,
  KINDS,
  type SpecOf,
  TABLE_KINDS,
  TABLED_KINDS,
  type TabledKinds,
  type TableKind,
} from "./kinds.ts";
export type { EffectiveFields, Kind, KindName, TabledKind } from "./kind.ts";
export { UNSUPPORTED_KINDS } from "./unsupported_kinds.ts";
export { DEFAULT_NAMESPACE, type Metadata } from "./metadata.ts";
export { formatPath, type ObjectIdentity, type SchemaProblem } from "./problem.ts";
export { MESH_CONFIG_FIELDS, MESH_NETWORKS_FIELDS } from "./mesh/effective_fields.ts";
export { parseMeshConfig, parseProxyConfig } from "./mesh/mesh_config.ts";
export { defaultMeshConfig, defaultProxyConfig } from "./mesh/mesh_defaults.ts";
export { directoryOf } from "./mesh/mesh_rules.ts";
export type { MeshSettings } from "./mesh/mesh_document.ts";
export { defaultMeshNetworks, parseMeshNetworks } from "./mesh/mesh_networks.ts";
export { type ConditionKey, conditionKey, type ConditionKind } from "./rules/conditions.ts";
export { celFault, unknownFunction } from "./rules/cel.ts";
export { fetchableModule } from "./kinds/wasm_plugin.ts";
export { patchTarget, readPatchValue } from "./kinds/dataproxy_filter.ts";
export { CIPHER_SUITES } from "./rules/server_tls.ts";
export { type ParsedMessage } from "./single.ts";
export { GRPC_STATUSES } from "./rules/http_policies.ts";
