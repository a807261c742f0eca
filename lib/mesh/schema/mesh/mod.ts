/**
 * The mesh configuration (`MeshConfig`, with the proxy configuration in `defaultConfig`) and the
 * mesh networks: defaults, validation rules, effective fields, merging.
 *
 * @module
 */
export { MESH_CONFIG_FIELDS, MESH_NETWORKS_FIELDS } from "./effective_fields.ts";
export { parseMeshConfig, parseMeshConfigInSteps, parseProxyConfig } from "./mesh_config.ts";
export { defaultMeshConfig, defaultProxyConfig, MESH_DEFAULTS_MS } from "./mesh_defaults.ts";
export { type MeshSettings, readMeshSettings } from "./mesh_document.ts";
export { checkMeshConfig, isMeshConfigText } from "./mesh_paths.ts";
export { defaultMeshNetworks, parseMeshNetworks } from "./mesh_networks.ts";
export { controlPlaneOf, directoryOf } from "./source_rules.ts";
