/**
 * The installation of the network plugin on a node: the binary, its client configuration, and the
 * entry in the node's network configuration; their repair, and their removal.
 *
 * @module
 */
export {
  type EntrySettings,
  type InstallSettings,
  ORCHCONFIG,
  type OrchconfigSettings,
  PLUGIN,
  STANDALONE_NAME,
} from "./settings.ts";
export {
  DISK,
  JOURNAL,
  type Journal,
  lockDirectory,
  type LockOptions,
  type NodeFiles,
  readJournal,
} from "./disk/mod.ts";
export { chooseNetwork, type Chosen, type PassedOver } from "./choose.ts";
export { entryOf } from "./text/entry.ts";
export { orchconfigText } from "./text/orchconfig.ts";
export { withEntry } from "./text/network.ts";
export { type Change, type Step, StepError, STEPS } from "./change.ts";
export {
  applyChange,
  type Inspection,
  type Installation,
  installPlugin,
  isWaiting,
  openInstallation,
} from "./install.ts";
export { type InstallState, keepInstalled, type KeepOptions } from "./keep.ts";
export { type Changes, watchDirectories } from "./watch.ts";
export { type DaemonSetName, expectedDaemonSet, type Fate, fateOf, findDaemonSet } from "./fate.ts";
