/**
 * `meshctl` as a process of its own.
 *
 * @module
 */
import { programWords } from "../../scripts/harness/mod.ts";

/** Output and exit status of a run. */
export interface MeshctlRun {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** Options of a run. */
export interface MeshctlOptions {
  /** Standard input. Default: empty. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `meshctl` without the settings of the user. */
export async function meshctl(
  args: readonly string[],
  { input = "", env = {} }: MeshctlOptions = {},
): Promise<MeshctlRun> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...programWords("meshctl"), ...args],
    env: { MESHCONFIG: "/nonexistent/meshctl.yaml", NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writing = (async () => {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
    // A program that reads no input closes it before everything is written.
  })().catch(() => {});
  const [{ stdout, stderr, code }] = await Promise.all([child.output(), writing]);
  const decoder = new TextDecoder();
  return { out: decoder.decode(stdout), err: decoder.decode(stderr), status: code };
}
