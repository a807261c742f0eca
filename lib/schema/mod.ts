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
export { findKind, isRead, type Kind, type KindName, KINDS, LATER_KINDS } from "./kinds.ts";
export { DEFAULT_NAMESPACE, type Metadata } from "./metadata.ts";
export { formatPath, type ObjectIdentity, type SchemaProblem } from "./problem.ts";
export { ACTING, type Acting } from "./acting.ts";
export { parseMeshConfig, parseProxyConfig } from "./mesh_config.ts";
export { defaultMeshConfig, defaultProxyConfig } from "./mesh_defaults.ts";
export { directoryOf } from "./mesh_rules.ts";
export type { MeshSettings } from "./mesh_document.ts";
export { defaultMeshNetworks, parseMeshNetworks } from "./mesh_networks.ts";
export { type ConditionKey, conditionKey, type ConditionKind } from "./conditions.ts";
export { celFault, unknownFunction } from "./cel.ts";
export { fetchableModule } from "./wasm_plugin.ts";
export { patchTarget, readPatchValue } from "./dataproxy_filter.ts";
export { CIPHER_SUITES } from "./server_tls.ts";
export { type ParsedMessage } from "./single.ts";
export { GRPC_STATUSES } from "./http_policies.ts";
