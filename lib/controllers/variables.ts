/**
 * Environment variables of the controllers.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** True: of several daemons, one runs a controller. */
export const ENABLE_LEADER_ELECTION: EnvVar<boolean> = declareEnv({
  name: "ENABLE_LEADER_ELECTION",
  type: "bool",
  default: true,
  doc: "Run each controller in one daemon of several, by leader election; otherwise in each.",
  readers,
});

/** Revision of this control plane. */
export const REVISION: EnvVar<string | undefined> = declareEnv({
  name: "REVISION",
  type: "string",
  doc: "Revision of the control plane that the own pod belongs to; empty: `default`.",
  readers,
});
