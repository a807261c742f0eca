/**
 * Where configuration comes from. Sources fill tables and do nothing else.
 *
 * @module
 */
export { type ConfigFile, readConfigFiles } from "./config_files.ts";
export {
  type CredentialFiles,
  type CredentialSource,
  type CredentialSourceOptions,
  startCredentialSource,
} from "./credentials.ts";
export { type Directories, type DirectoriesOptions, startDirectories } from "./directories.ts";
export { type FileSource, type FileSourceOptions, startFileSource } from "./file_source.ts";
export {
  type BundleSourceOptions,
  type Fetching,
  type KeySource,
  type KeySourceOptions,
  startBundleSource,
  startKeySource,
} from "./fetched/mod.ts";
export { type ChangeSet, type SourceProblem } from "./ledger.ts";
export {
  type FoundName,
  type NameSource,
  type NameSourceOptions,
  type Resolve,
  startNameSource,
} from "./names.ts";
export {
  createRegistrations,
  type RegistrationOptions,
  type Registrations,
} from "./registrations.ts";
export { DEFAULT_TIMING, type Timing } from "./pulse.ts";
export {
  type WatchedFile,
  type WatchedFileOptions,
  watchMeshConfig,
  watchNetworks,
} from "./watched_file.ts";
