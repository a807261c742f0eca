/**
 * Variables that no room declares, and the programs that accept them. Importing this file adds them to
 * the table of variables.
 *
 * @module
 */
import { declareIneffectiveVariables, type IneffectiveGroup } from "../ineffective.ts";
import { listEnv } from "../table.ts";
import { NODE } from "./node.ts";
import { RUNTIME } from "./runtime.ts";
import { SHARED } from "./shared.ts";
import { TRAFFIC } from "./traffic.ts";

/** All variables without effect, by reason. */
export const INEFFECTIVE_VARIABLES: readonly IneffectiveGroup[] = [
  ...TRAFFIC,
  ...NODE,
  ...RUNTIME,
];

declareIneffectiveVariables(INEFFECTIVE_VARIABLES);
listEnv(SHARED);
