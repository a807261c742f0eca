import { MeshError, messageOf, printable } from "../base/mod.ts";
import { exitStatus } from "./errors.ts";
import { completeWords } from "./complete.ts";
import { helpText } from "./help.ts";
import { parseArgv } from "./parse.ts";
import type { CommandSpec, Configured, ProgramSpec, RunEnvironment } from "./spec.ts";
import { childNamed } from "./tree.ts";

/** The values of a program without configuration file. */
export const NO_CONFIGURED: Configured = { file: "", values: new Map() };

/**
 * Runs a program with the words after its name and returns its exit status. It does not throw:
 * failures are written as `Error: …` to standard error.
 */
export async function runProgram(
  program: ProgramSpec,
  argv: readonly string[],
  environment: RunEnvironment,
): Promise<number> {
  try {
    return await dispatch(program, argv, environment);
  } catch (error) {
    environment.io.err(errorText(error));
    return exitStatus(error);
  }
}

async function dispatch(
  program: ProgramSpec,
  argv: readonly string[],
  environment: RunEnvironment,
): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "__complete" || first === "__completeNoDesc") {
    environment.io.out(
      await completeWords(program, rest, {
        describe: first === "__complete",
        configured: environment.configured ?? NO_CONFIGURED,
      }),
    );
    return 0;
  }
  if (first === "help" && childNamed(program, "help") === undefined) {
    return await dispatch(program, [...rest, "--help"], environment);
  }
  const { configured = NO_CONFIGURED } = environment;
  const { path, flags, args } = parseArgv(program, argv, configured);
  const command: CommandSpec = path.at(-1) ?? program;
  if (flags.bool("help") || command.run === undefined) {
    environment.io.out(helpText(program, path));
    return 0;
  }
  const line = path.map(({ name }) => name).join(" ");
  return await command.run({ command: line, flags, args, ...environment, configured });
}

/** `Error: <message>`, then the remedy; causes with further information are appended. */
function errorText(error: unknown): string {
  const causes: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  for (; cause !== undefined && causes.length < 5; cause = (cause as Error).cause) {
    if (!(cause instanceof Error)) break;
    causes.push(cause.message);
  }
  const sentence = [messageOf(error), ...causes].filter(unlessRepeated).map(printable).join(": ");
  const remedy = error instanceof MeshError && error.remedy !== undefined ? error.remedy : "";
  return remedy === "" ? `Error: ${sentence}\n` : `Error: ${sentence}\n${remedy}\n`;
}

/** Omits a cause whose text is part of the message before it. */
function unlessRepeated(text: string, at: number, all: readonly string[]): boolean {
  return text !== "" && !all.slice(0, at).some((before) => before.includes(text));
}
