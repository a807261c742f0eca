import { MeshError } from "../base/mod.ts";
import { envText } from "../env/mod.ts";
import { usageError } from "./errors.ts";
import { type FlagValue, type FlagValues, flagValues } from "./flags.ts";
import { normalise, type Normalised } from "./normalise.ts";
import type { CommandSpec, Configured, FlagSpec, ProgramSpec } from "./spec.ts";
import { suggest } from "./suggest.ts";
import { flagsOf, locate } from "./tree.ts";
import { parseValue, ValueError, zeroText } from "./value.ts";

/** A parsed command line. */
export interface Parsed {
  /** From the program down to the command. */
  readonly path: readonly CommandSpec[];
  readonly flags: FlagValues;
  readonly args: readonly string[];
}

/**
 * Parses the words after the program's name. With `--help` the number of arguments is not checked.
 *
 * @throws {MeshError} `usage`, or `flag-value` for an invalid value.
 */
export function parseArgv(
  program: ProgramSpec,
  argv: readonly string[],
  configured?: Configured,
): Parsed {
  const { path, words, firstArgument } = locate(program, argv);
  const command = path.at(-1) ?? program;
  if (command.run === undefined && firstArgument !== undefined) {
    throw unknownCommand(program, path, firstArgument);
  }
  const specs = flagsOf(program, command);
  const { options, args } = normalise(specs, words, lineOf(path));
  if (command.run === undefined && args[0] !== undefined) {
    throw unknownCommand(program, path, args[0]);
  }

  const { values, given } = valuesOf(specs, options, configured);
  // With help wanted, the arguments do not matter.
  if (!options.some(({ flag, value }) => flag.name === "help" && value === "true")) {
    checkCount(path, command, args.length);
    checkChoices(command, args);
  }
  return { path, flags: flagValues(specs, values, given), args };
}

/** The values of all flags, given ones and defaults; list types collect what is given. */
function valuesOf(
  specs: readonly FlagSpec[],
  options: Normalised["options"],
  configured?: Configured,
) {
  const values = new Map<string, FlagValue>();
  const given = new Set<string>();
  for (const { flag, value } of options) {
    const sofar = given.has(flag.name) ? values.get(flag.name) : undefined;
    values.set(flag.name, valueFor(flag, value, `"${shown(flag)}" flag`, sofar));
    given.add(flag.name);
  }
  for (const spec of specs) {
    if (!given.has(spec.name)) values.set(spec.name, defaultOf(spec, configured));
  }
  return { values, given };
}

function defaultOf(spec: FlagSpec, configured?: Configured): FlagValue {
  const fromEnv = spec.env === undefined ? undefined : readable(spec.env);
  if (spec.env !== undefined && fromEnv !== undefined && fromEnv !== "") {
    return valueFor(spec, fromEnv, `--${spec.name} in the environment variable ${spec.env}`);
  }
  const fromFile = configured?.values.get(spec.name);
  if (spec.env !== undefined && fromFile !== undefined) {
    return valueFor(spec, fromFile, `--${spec.name} in the file ${configured?.file}`);
  }
  if (spec.type === "stringArray" && spec.default === undefined) return [];
  return parseValue(spec, spec.default ?? zeroText(spec.type));
}

/** A built program may read only the variables of its permissions; others count as not set. */
function readable(name: string): string | undefined {
  try {
    return envText(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

function valueFor(spec: FlagSpec, text: string, argument: string, sofar?: FlagValue): FlagValue {
  try {
    return parseValue(spec, text, sofar);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const message = `invalid argument ${JSON.stringify(text)} for ${argument}: ${error.message}`;
    throw new MeshError("flag-value", message, { cause: error });
  }
}

function shown(spec: FlagSpec): string {
  return spec.short === undefined ? `--${spec.name}` : `-${spec.short}, --${spec.name}`;
}

function lineOf(path: readonly CommandSpec[]): string {
  return path.map((command) => command.name).join(" ");
}

/** The command lines below a command whose last word has a name. */
function linesNamed(command: CommandSpec, word: string, before: string): string[] {
  const line = `${before}${command.name}`;
  return (command.commands ?? []).filter((child) => child.hidden !== true).flatMap((child) => [
    ...child.name === word || child.aliases?.includes(word) ? [`${line} ${child.name}`] : [],
    ...linesNamed(child, word, `${line} `),
  ]);
}

function unknownCommand(
  program: ProgramSpec,
  path: readonly CommandSpec[],
  word: string,
): MeshError {
  const names = path.at(-1)?.commands?.filter((child) => child.hidden !== true)
    .map((child) => child.name) ?? [];
  const line = lineOf(path);
  const near = [...linesNamed(program, word, ""), ...suggest(word, names)];
  const meant = near.length === 0 ? "" : `\nDid you mean this?\n\t${near.join("\n\t")}\n`;
  return usageError(
    `unknown command ${JSON.stringify(word)} for ${JSON.stringify(line)}`,
    `${meant}Run '${line} --help' for usage.`.trimStart(),
  );
}

function checkChoices(command: CommandSpec, args: readonly string[]): void {
  for (const [at, { name, choices }] of (command.args ?? []).entries()) {
    const word = args[at];
    if (word === undefined || choices === undefined || choices.includes(word)) continue;
    const message = `invalid argument ${JSON.stringify(word)} for <${name}>: `;
    throw new MeshError("argument-value", `${message}must be ${choices.join(" or ")}`);
  }
}

/** The words of a command line, and its first example. */
function howToWrite(
  line: string,
  { args = [], flags = [], examples: [example] = [] }: CommandSpec,
) {
  const words = args.map(({ name, optional, variadic }) => {
    const word = `${name.includes("<") ? name : `<${name}>`}${variadic === true ? "..." : ""}`;
    return optional === true ? `[${word}]` : word;
  });
  const usage = [line, ...words, ...flags.length > 0 ? ["[flags]"] : []].join(" ");
  return `Write: ${usage}\n${example === undefined ? "" : `For example: ${example}\n`}`;
}

function checkCount(path: readonly CommandSpec[], command: CommandSpec, got: number): void {
  const most = command.args?.at(-1)?.variadic === true ? Infinity : command.args?.length ?? 0;
  const least = command.args?.filter((arg) => arg.optional !== true).length ?? 0;
  if (got >= least && got <= most) return;
  const range = least === most
    ? `${most}`
    : most === Infinity
    ? `at least ${least}`
    : `between ${least} and ${most}`;
  const line = lineOf(path);
  throw usageError(
    `accepts ${range} arg(s), received ${got}`,
    `${howToWrite(line, command)}Run '${line} --help' for usage.`,
  );
}
