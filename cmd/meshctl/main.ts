/**
 * The program `meshctl`.
 *
 * @module
 */
import { processIo, runProgram, shutdownSignal } from "../../lib/kit/cli/mod.ts";
import { MESHCTL, preferExperimental } from "./program.ts";
import { prefersExperimental, readSettings } from "./settings.ts";

/** Runs the program with the words after its name and gives its exit status. */
export async function run(args: readonly string[]): Promise<number> {
  using shutdown = shutdownSignal((status) => Deno.exit(status));
  const io = processIo;
  const configured = await readSettings(io);
  const program = prefersExperimental(configured) ? preferExperimental(MESHCTL) : MESHCTL;
  return await runProgram(program, args, { io, signal: shutdown.signal, configured });
}

if (import.meta.main) Deno.exit(await run(Deno.args));
