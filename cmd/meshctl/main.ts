/**
 * The program `meshctl`.
 *
 * @module
 */
import { processIo, runProgram, shutdownSignal } from "../../lib/cli/mod.ts";
import { refuseUnsupported } from "./unsupported.ts";
import { MESHCTL } from "./program.ts";

/** Runs the program with the words after its name and gives its exit status. */
export async function run(args: readonly string[]): Promise<number> {
  using shutdown = shutdownSignal((status) => Deno.exit(status));
  const environment = { io: processIo, signal: shutdown.signal };
  return refuseUnsupported(MESHCTL, args, environment.io) ??
    await runProgram(MESHCTL, args, environment);
}

if (import.meta.main) Deno.exit(await run(Deno.args));
