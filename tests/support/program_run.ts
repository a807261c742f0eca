/**
 * Runs of a program in the process of a test.
 *
 * @module
 */
import { type ProgramSpec, runProgram } from "../../lib/kit/cli/mod.ts";

/** Runs a program; standard output, standard error and exit status. */
export async function runInProcess(
  program: ProgramSpec,
  argv: readonly string[],
): Promise<[out: string, err: string, status: number]> {
  let out = "";
  let err = "";
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const { signal } = new AbortController();
  const status = await runProgram(program, argv, { io, signal });
  return [out, err, status];
}
