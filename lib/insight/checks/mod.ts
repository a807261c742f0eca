/**
 * Checks of configuration, of files and of a live cluster: analysis and validation, with exit status.
 *
 * @module
 */
export { analyze, listAnalyzers } from "./analyze.ts";
export { migrate, type MigrateOptions } from "./migrate.ts";
export { validate } from "./validate.ts";
