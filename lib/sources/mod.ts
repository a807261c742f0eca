/**
 * Sources: they read configuration and report it to ingest, and write no table.
 *
 * @module
 */
export { allowedRanges, startKeySets, type WatchKeySets } from "./fetched/key_sets.ts";
export { type ResolvedNetworks, resolveGateways } from "./fetched/gateway_names.ts";
export { type BundleOptions, fetchBundles, type MeshWithBundles } from "./fetched/trust_bundles.ts";
export {
  type ConfigDirectories,
  type ConfigDirectoriesOptions,
  startConfigDirectories,
} from "./files/config_directories.ts";
export { checkConfigFiles, type CheckedFiles } from "./files/check_files.ts";
export {
  type CredentialSource,
  type CredentialSourceOptions,
  startCredentialSource,
} from "./files/credentials.ts";
export { type FileSource, type FileSourceOptions, startFileSource } from "./files/file_source.ts";
export type { SourceProblem } from "./files/source_problem.ts";
export {
  type WatchedFile,
  type WatchedFileOptions,
  watchMeshConfig,
  watchNetworks,
} from "./files/watched_file.ts";
export { type Followed } from "./followed.ts";
export {
  type Registration,
  type RegistrationSourceOptions,
  startRegistration,
  type StreamObserver,
} from "./registration/registration.ts";
export { MESH_CREDENTIAL_DIR } from "./variables.ts";
