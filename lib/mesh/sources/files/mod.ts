/**
 * Configuration from files: watching directories, reading and parsing changed files, the index of
 * objects by file, precedence of directories, credentials from mounted secrets, the file of the
 * mesh configuration, and reports of rejected documents.
 *
 * @module
 */
export { checkConfigFiles, type CheckedFiles } from "./check_files.ts";
export {
  type ConfigDirectories,
  type ConfigDirectoriesOptions,
  startConfigDirectories,
} from "./config_directories.ts";
export {
  type CredentialSource,
  type CredentialSourceOptions,
  startCredentialSource,
} from "./credentials.ts";
export { type FieldOfFile, type FieldOptions, fieldPositions } from "./field_positions.ts";
export { type FileSource, type FileSourceOptions, startFileSource } from "./file_source.ts";
export type { SourceProblem } from "./source_problem.ts";
export {
  type WatchedFile,
  type WatchedFileOptions,
  watchMeshConfig,
  watchNetworks,
} from "./mesh_files.ts";
