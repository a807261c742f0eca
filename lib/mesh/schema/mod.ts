/**
 * Configuration documents: the kinds, their fields with defaults, validation with positions and
 * remedies, warnings about fields without effect, and the mesh configuration. Pure.
 *
 * @module
 */
export {
  type DocumentOptions,
  eachDocument,
  eachPiece,
  parseConfigDocuments,
  type ParsedDocument,
  type ParsedDocuments,
  type SeenDocument,
} from "./documents.ts";
export {
  type CheckedObject,
  checkObject,
  checkObjectInSteps,
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
export { DRY_RUN } from "./kinds/mod.ts";
export {
  type EffectiveFields,
  type Kind,
  type KindName,
  type TabledKind,
  writtenKind,
} from "./kind.ts";
export { type NewNames, newNames } from "./renamed.ts";
export { UNSUPPORTED_KINDS } from "./unsupported_kinds.ts";
export { DEFAULT_NAMESPACE, type Metadata } from "./metadata.ts";
export { formatPath, type ObjectIdentity, type SchemaProblem } from "./problem.ts";
export {
  isCustom,
  type ResourceDefinition,
  resourceDefinitions,
  SHORT_NAMES,
  type StructuralSchema,
} from "./definitions/mod.ts";
export {
  checkMeshConfig,
  controlPlaneOf,
  defaultMeshConfig,
  defaultMeshNetworks,
  defaultProxyConfig,
  directoryOf,
  isMeshConfigText,
  MESH_CONFIG_FIELDS,
  MESH_DEFAULTS_MS,
  MESH_NETWORKS_FIELDS,
  type MeshSettings,
  parseMeshConfig,
  parseMeshConfigInSteps,
  parseMeshNetworks,
  parseProxyConfig,
} from "./mesh/mod.ts";
export {
  celFault,
  CIPHER_SUITES,
  type ConditionKey,
  conditionKey,
  type ConditionKind,
  GRPC_STATUSES,
  PROTOCOLS,
  unknownFunction,
} from "./rules/mod.ts";
export {
  type ModuleOrigin,
  moduleOrigin,
  patchEnumValues,
  patchTarget,
  readPatchValue,
} from "./kinds/mod.ts";
export { type ParsedMessage } from "./single.ts";
