/**
 * The program `pilot-discovery`.
 *
 * @module
 */
import { processIo, runProgram, shutdownSignal } from "../../lib/kit/cli/mod.ts";
import { PILOT_DISCOVERY } from "./program.ts";

/** Runs the program with the words after its name and gives its exit status. */
export async function run(args: readonly string[]): Promise<number> {
  using shutdown = shutdownSignal((status) => Deno.exit(status));
  return await runProgram(PILOT_DISCOVERY, args, { io: processIo, signal: shutdown.signal });
}

if (import.meta.main) Deno.exit(await run(Deno.args));
