/**
 * The program `install-cni`.
 *
 * @module
 */
import { processIo, runProgram, shutdownSignal } from "../../lib/kit/cli/mod.ts";
import { INSTALL_CNI } from "./program.ts";

/** Runs the program with the words after its name and gives its exit status. */
export async function run(args: readonly string[]): Promise<number> {
  using shutdown = shutdownSignal((status) => Deno.exit(status));
  return await runProgram(INSTALL_CNI, args, { io: processIo, signal: shutdown.signal });
}

if (import.meta.main) Deno.exit(await run(Deno.args));
