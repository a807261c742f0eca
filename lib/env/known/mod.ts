/**
 * Variables that no room declares, and the programs that accept them. Importing this file adds them to
 * the table of variables.
 *
 * @module
 */
import { declareIneffectiveVariables, type IneffectiveGroup } from "../ineffective.ts";
import { listEnv } from "../table.ts";
import { AMBIENT } from "./ambient.ts";
import { CLUSTERS } from "./clusters.ts";
import { NODE } from "./node.ts";
import { ORCHESTRATOR } from "./orchestrator.ts";
import { RUNTIME } from "./runtime.ts";
import { SECURITY } from "./security.ts";
import { SHARED } from "./shared.ts";
import { TRAFFIC } from "./traffic.ts";

/** All variables without effect, by reason. */
export const INEFFECTIVE_VARIABLES: readonly IneffectiveGroup[] = [
  ...ORCHESTRATOR,
  ...CLUSTERS,
  ...SECURITY,
  ...TRAFFIC,
  ...AMBIENT,
  ...NODE,
  ...RUNTIME,
];

declareIneffectiveVariables(INEFFECTIVE_VARIABLES);
listEnv(SHARED);
