import { Command, CommanderError, Option } from "commander";
import { MeshError } from "../base/mod.ts";
import { envText } from "../env/mod.ts";
import { usageError } from "./errors.ts";
import { type FlagValue, type FlagValues, flagValues } from "./flags.ts";
import { normalise } from "./normalise.ts";
import type { CommandSpec, FlagSpec, ProgramSpec } from "./spec.ts";
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
export function parseArgv(program: ProgramSpec, argv: readonly string[]): Parsed {
  const { path, words } = locate(program, argv);
  const command = path.at(-1) ?? program;
  const specs = flagsOf(program, command);
  const { options, args } = normalise(specs, words);
  if (command.run === undefined && args[0] !== undefined) throw unknownCommand(path, args[0]);

  const wantsHelp = options.includes("--help=true");
  const parser = new Command(command.name).exitOverride().helpOption(false);
  parser.configureOutput({ writeErr: () => {} });
  parser.allowExcessArguments(wantsHelp);
  const byAttribute = new Map<string, FlagSpec>();
  for (const spec of specs) {
    const option = optionOf(spec);
    byAttribute.set(option.attributeName(), spec);
    parser.addOption(option);
  }
  for (const arg of wantsHelp ? [] : command.args ?? []) {
    parser.argument(arg.optional === true ? `[${arg.name}]` : `<${arg.name}>`);
  }
  parser.action(() => {});
  try {
    parser.parse([...options, "--", ...args], { from: "user" });
  } catch (error) {
    throw error instanceof CommanderError ? argumentCount(path, command, args.length) : error;
  }

  if (!wantsHelp) checkChoices(command, args);

  const values = new Map<string, FlagValue>();
  const given = new Set<string>();
  for (const [attribute, spec] of byAttribute) {
    values.set(spec.name, parser.getOptionValue(attribute));
    if (parser.getOptionValueSource(attribute) === "cli") given.add(spec.name);
  }
  return { path, flags: flagValues(specs, values, given), args };
}

/** A flag for the parser: always with a value, accumulating for list types. */
function optionOf(spec: FlagSpec): Option {
  const option = new Option(`--${spec.name} <value>`);
  // The parser would read `--no-x` as the opposite of `--x`; here it is an ordinary name.
  option.negate = false;
  option.default(defaultOf(spec));
  let sofar: FlagValue | undefined;
  option.argParser((text: string) => {
    sofar = valueFor(spec, text, `"${shown(spec)}" flag`, sofar);
    return sofar;
  });
  return option;
}

function defaultOf(spec: FlagSpec): FlagValue {
  const fromEnv = spec.env === undefined ? undefined : readable(spec.env);
  if (spec.env !== undefined && fromEnv !== undefined && fromEnv !== "") {
    return valueFor(spec, fromEnv, `--${spec.name} in the environment variable ${spec.env}`);
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

function valueFor(spec: FlagSpec, text: string, place: string, sofar?: FlagValue): FlagValue {
  try {
    return parseValue(spec, text, sofar);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const message = `invalid argument ${JSON.stringify(text)} for ${place}: ${error.message}`;
    throw new MeshError("flag-value", message, { cause: error });
  }
}

function shown(spec: FlagSpec): string {
  return spec.short === undefined ? `--${spec.name}` : `-${spec.short}, --${spec.name}`;
}

function unknownCommand(path: readonly CommandSpec[], word: string): MeshError {
  const names = path.at(-1)?.commands?.map((child) => child.name) ?? [];
  const line = path.map((command) => command.name).join(" ");
  const near = suggest(word, names);
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

function argumentCount(path: readonly CommandSpec[], command: CommandSpec, got: number): MeshError {
  const most = command.args?.length ?? 0;
  const least = command.args?.filter((arg) => arg.optional !== true).length ?? 0;
  const range = least === most ? `${most}` : `between ${least} and ${most}`;
  const line = path.map((each) => each.name).join(" ");
  return usageError(`accepts ${range} arg(s), received ${got}`, `Run '${line} --help' for usage.`);
}
