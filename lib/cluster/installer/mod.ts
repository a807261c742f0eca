/**
 * Installs a mesh in a cluster, verifies it and removes it. Plans come from elsewhere; this room asks
 * and changes the cluster. What is there is read from the labels of the objects alone.
 *
 * @module
 */
export { dependentLines, type Dependents } from "./dependents.ts";
export type { Examination } from "./examine.ts";
export { install, type InstallOptions, previewInstallation } from "./install.ts";
export { readKinds } from "./kinds.ts";
export {
  BASE,
  type Component,
  COMPONENT_LABEL,
  type Installation,
  MANAGED_LABEL,
  MANAGER,
  nameOf,
  OWNER_LABEL,
  PILOT,
  titleOf,
  VERSION_LABEL,
} from "./plan.ts";
export { countsText } from "./preview.ts";
export {
  installedObjects,
  type InstalledRevision,
  installedRevisions,
  type Scope,
} from "./removal.ts";
export { type Report, reportTo } from "./report.ts";
export { type Removal, uninstall, type UninstallOptions } from "./uninstall.ts";
export { type Verified, verify } from "./verify.ts";
export {
  type CommandParts,
  type InstallCluster,
  planError,
  type Planned,
  runInstall,
  runUninstall,
} from "./commands.ts";
