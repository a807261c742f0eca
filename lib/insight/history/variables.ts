/**
 * Environment variables of history, recording and audit.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** Interval between two rounds of the audit, in milliseconds; 0: no audit. */
export const MESH_SELFAUDIT_INTERVAL: EnvVar<number> = declareEnv({
  name: "MESH_SELFAUDIT_INTERVAL",
  type: "duration",
  default: "3s",
  range: { least: 0 },
  doc:
    "Interval of the background audit, which computes some values again, compares and repairs them; 0 disables it.",
  readers,
});

/** Time of one round, in milliseconds. */
export const MESH_SELFAUDIT_BUDGET: EnvVar<number> = declareEnv({
  name: "MESH_SELFAUDIT_BUDGET",
  type: "duration",
  default: "5ms",
  range: { least: 1 },
  doc: "Approximate time limit of one round of the audit.",
  readers,
});

/** Number of publications in the history. */
export const MESH_HISTORY_REVISIONS: EnvVar<number> = declareEnv({
  name: "MESH_HISTORY_REVISIONS",
  type: "int",
  default: 1_000,
  range: { least: 1 },
  doc: "Number of publications in the history, with their edits and changes.",
  readers,
});

/** File of the recording; undefined or empty: no recording. */
export const MESH_INPUT_LOG: EnvVar<string | undefined> = declareEnv({
  name: "MESH_INPUT_LOG",
  type: "string",
  doc:
    "File that records all changes of configuration, for a replay; it is overwritten at each start and grows without bound.",
  readers,
});
