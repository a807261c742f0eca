/**
 * The configuration that a command names: files, and the objects of a live cluster.
 *
 * @module
 */
export { inputFiles } from "./input_files.ts";
export {
  manifestChanges,
  type ManifestInput,
  manifestNames,
  type ManifestSet,
} from "./manifests/changes.ts";
export { manifestRows } from "./manifests/rows.ts";
export { readLiveMesh } from "./live_mesh.ts";
export { readPluginState } from "./cluster_items.ts";
export { type LiveObjects, readLiveObjects, readPolicies } from "./live_objects.ts";
export { readCluster } from "./selected_cluster.ts";
