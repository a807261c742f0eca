import type { FlagValues, Io } from "../../kit/cli/mod.ts";

/** Flags that are for the connection to an orchestrator. */
const ORCHESTRATOR_FLAGS: readonly string[] = [
  "all",
  "proxy-admin-port",
  "revision",
  "selector",
  "xds-label",
  "as",
  "as-group",
  "as-uid",
  "context",
  "orchclient-timeout",
  "orchconfig",
  "vklog",
];

/** Warns of given flags for an orchestrator, in a command that connects to none. */
export function warnOrchestratorFlags(flags: FlagValues, io: Io): void {
  for (const name of ORCHESTRATOR_FLAGS) {
    if (!flags.given.has(name)) continue;
    io.err(`Warning: --${name} has no effect: this command connects to no orchestrator\n`);
  }
}
