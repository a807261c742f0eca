/**
 * Variables that are known though no room declares them, and who takes which. Whoever asks `lib/env`
 * for the table finds them in it.
 *
 * @module
 */
import { declareIdleEnv, type IdleTheme } from "../idle.ts";
import { listEnv } from "../table.ts";
import { AMBIENT } from "./ambient.ts";
import { CLUSTERS } from "./clusters.ts";
import { NODE } from "./node.ts";
import { ORCHESTRATOR } from "./orchestrator.ts";
import { RUNTIME } from "./runtime.ts";
import { SECURITY } from "./security.ts";
import { SHARED } from "./shared.ts";
import { TRAFFIC } from "./traffic.ts";

/** All variables that are known and do not act, by the reason why. */
export const IDLE_THEMES: readonly IdleTheme[] = [
  ...ORCHESTRATOR,
  ...CLUSTERS,
  ...SECURITY,
  ...TRAFFIC,
  ...AMBIENT,
  ...NODE,
  ...RUNTIME,
];

declareIdleEnv(IDLE_THEMES);
listEnv(SHARED);
