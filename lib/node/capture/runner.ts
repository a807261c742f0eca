/**
 * Running programs: argument vectors only, never a shell.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** A program to run. */
export interface Call {
  /** Program and arguments. */
  readonly argv: readonly string[];
  readonly stdin?: string;
}

export interface CallResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs programs. */
export interface Runner {
  /** @throws {MeshError} `capture-program` when the program cannot be started or does not end */
  run(call: Call): Promise<CallResult>;
}

/** Waiting for the lock of iptables included. */
const TIMEOUT_MS = 60_000;

/**
 * Runs programs on this host.
 *
 * @param networkNamespace path of a network namespace to run them in; absent: that of this process
 */
export function hostRunner(networkNamespace?: string): Runner {
  const before = networkNamespace === undefined
    ? []
    : ["nsenter", `--net=${networkNamespace}`, "--"];
  return { run: ({ argv, stdin }) => runProgram([...before, ...argv], stdin) };
}

/** Remedies for programs that the permission set leaves out. */
const NOT_CAPABLE: Readonly<Record<string, string>> = {
  nsenter:
    "Start this command inside the network namespace, without --network-namespace; or allow " +
    "nsenter by --allow-run, which lets this process run every program.",
};

async function runProgram(argv: readonly string[], stdin: string | undefined): Promise<CallResult> {
  const [program = "", ...args] = argv;
  try {
    const child = new Deno.Command(program, {
      args,
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).spawn();
    // A program that ends without reading its input is reported by its status.
    const written = stdin === undefined ? undefined : write(child.stdin, stdin).catch(() => {});
    const { code, stdout, stderr } = await child.output();
    await written;
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  } catch (cause) {
    throw new MeshError("capture-program", `${program} cannot be run`, {
      remedy: cause instanceof Deno.errors.NotCapable
        ? NOT_CAPABLE[program] ?? `Allow it: --allow-run=${program}.`
        : `Install it, or add it to PATH; ${argv.join(" ")} was to be run.`,
      cause,
    });
  }
}

async function write(stream: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stream.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
}

/** Runs a program and gives its output. */
export async function output(runner: Runner, call: Call): Promise<string> {
  const { code, stdout, stderr } = await runner.run(call);
  if (code === 0) return stdout;
  const said = stderr.trim().slice(0, 1000);
  throw new MeshError(
    "capture-failed",
    `${call.argv.join(" ")} ended with status ${code}: ${said}`,
    {
      remedy: REMEDY,
    },
  );
}

const REMEDY =
  "Changing packet filter rules needs root or the capabilities NET_ADMIN and NET_RAW, and " +
  "kernel modules for the tables nat, mangle and raw.";

/** Records calls instead of making them. */
export interface DryRunner extends Runner {
  /** Commands and their inputs, in order, one text for each call. */
  readonly calls: readonly string[];
}

/**
 * A runner that calls no program; every call succeeds.
 *
 * @param outputOf the output of a program; default: none
 */
export function dryRunner(outputOf: (argv: readonly string[]) => string = () => ""): DryRunner {
  const calls: string[] = [];
  return {
    calls,
    run: ({ argv, stdin }) => {
      calls.push(stdin === undefined ? `${argv.join(" ")}\n` : stdin);
      return Promise.resolve({ code: 0, stdout: outputOf(argv), stderr: "" });
    },
  };
}
