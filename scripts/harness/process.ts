/**
 * Programs of the project as child processes.
 *
 * @module
 */
import { eventually } from "./ports.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

/**
 * Variable with a folder of bundled programs, which the runner of tests sets. Without it programs run
 * from their sources, which start in twice the time.
 */
export const BUNDLES = "MESH_TEST_BUNDLES";

/**
 * Arguments of `deno` that run a program with all permissions; those of the program may follow.
 *
 * @param flags further flags of `deno run`
 */
export function programWords(program: string, flags: readonly string[] = []): string[] {
  const folder = Deno.env.get(BUNDLES);
  if (folder === undefined) return ["run", "-q", "-A", ...flags, MAIN, program];
  const plain = ["--no-config", "--unstable-no-legacy-abort"];
  return ["run", "-q", "-A", ...plain, ...flags, `${folder}/${program}/main.js`];
}

/** A running program with its output. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Standard output and error, interleaved. */
  output(): string;
  /** Waits until the output contains a text or matches a pattern. */
  printed(what: string | RegExp, deadlineMs?: number): Promise<void>;
  kill(signal: Deno.Signal): void;
  /** Exit status, after it ended. */
  readonly status: Promise<Deno.CommandStatus>;
}

/** Options of {@link startProgram}. */
export interface ProgramOptions {
  /**
   * Deno's permission flags, such as `-P=pilot-agent`, with which the sources run; default: all
   * permissions.
   */
  readonly permissions?: readonly string[] | undefined;
  /** Further flags of `deno run`. */
  readonly flags?: readonly string[];
  /** The `main.ts` of other sources. */
  readonly main?: string | undefined;
}

/**
 * Starts a program by its name and arguments. `env` is added to this process's environment.
 */
export function startProgram(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
  { permissions, flags = [], main }: ProgramOptions = {},
): Program {
  const words = permissions === undefined && main === undefined
    ? programWords(program, flags)
    : ["run", "-q", ...permissions ?? ["-A"], ...flags, main ?? MAIN, program];
  return startCommand(Deno.execPath(), [...words, ...args], env, cwd);
}

/** Starts any program, like {@link startProgram}. */
export function startCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Program {
  const child = new Deno.Command(command, {
    args: [...args],
    env: { NO_COLOR: "1", ...env },
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const collect = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  };
  const drained = Promise.all([collect(child.stdout), collect(child.stderr)]);
  let ended = false;
  const status = child.status.then(async (s) => {
    ended = true;
    await drained;
    return s;
  });
  const kill = (signal: Deno.Signal): void => {
    try {
      child.kill(signal);
    } catch (e) {
      // The process ended between the check and the signal.
      if (!(e instanceof TypeError) && !(e instanceof Deno.errors.NotFound)) throw e;
    }
  };
  return {
    pid: child.pid,
    output: () => text,
    printed: async (what, deadlineMs) => {
      await eventually(
        `output ${what}; it was:\n${text.slice(-4000)}`,
        () => typeof what === "string" ? text.includes(what) : what.test(text),
        deadlineMs,
      );
    },
    kill,
    status,
    [Symbol.asyncDispose]: async () => {
      if (!ended) kill("SIGTERM");
      const timer = setTimeout(() => kill("SIGKILL"), 15_000);
      await status;
      clearTimeout(timer);
    },
  };
}
