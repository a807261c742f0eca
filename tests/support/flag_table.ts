/**
 * Compares the flag tables of a program with the description of the interface, row by row. The
 * description is not part of the project; without it the comparison is skipped.
 *
 * @module
 */
import assert from "node:assert/strict";
import type {
  ArgSpec,
  CommandSpec,
  FlagSpec,
  FlagType,
  ProgramSpec,
} from "../../lib/kit/cli/mod.ts";

/** A row of the description. */
interface SpecFlag {
  readonly name: string;
  readonly short: string | null;
  readonly type: string;
  readonly default: string;
}

interface SpecCommand {
  readonly program: string;
  readonly command: string;
  readonly args: string;
  readonly flags: readonly SpecFlag[];
  readonly aliases: readonly string[];
  /** Flags of every command, which a command may replace. */
  readonly shared: readonly SpecFlag[];
}

const DIRECTORY = Deno.env.get("MESH_SPEC_DIR") ??
  new URL("../../../shared/spec", import.meta.url).pathname;

const TYPE_NAMES: Readonly<Record<FlagType, string>> = {
  bool: "boolean",
  string: "string",
  int: "int",
  int32: "int32",
  uint16: "uint16",
  float32: "float32",
  duration: "duration",
  level: "Level",
  stringSlice: "string slice",
  stringArray: "string array",
  stringMap: "string-to-string map",
};

/**
 * Registers one test for each command that the description gives the program.
 *
 * @param added arguments (`<file>`) and flags (`--output`) that go beyond the description, with the
 * reason, by command line; commands that are not described have a row, too
 */
export async function testAgainstSpec(
  program: ProgramSpec,
  added: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<void> {
  const commands = await readSpec(program.name);
  if (commands === undefined) {
    Deno.test({
      name: `${program.name}: flag tables [no description in MESH_SPEC_DIR]`,
      ignore: true,
      fn: () => {},
    });
    return;
  }
  for (const expected of commands) {
    const extra = { ...added[program.name], ...added[expected.command] };
    Deno.test(`${expected.command}: flags as described`, () => {
      const command = find(program, expected.command.split(" ").slice(1));
      const own = new Set(command.flags?.map(({ name }) => name));
      const globals = program.globalFlags.filter(({ name }) => !own.has(name));
      const actual = [...command.flags ?? [], ...globals].map(row)
        .filter(([name]) => extra[name] === undefined);
      const rows = new Map(expected.flags.map((flag) => [flag.name, specRow(flag)]));
      for (const flag of expected.shared) {
        if (!rows.has(flag.name)) rows.set(flag.name, specRow(flag));
      }
      const described = [...rows.values()].filter(([name]) => extra[name] === undefined);
      assert.deepEqual(actual.sort(byName), described.sort(byName));
      const args = (command.args ?? []).filter(({ name }) => extra[`<${name}>`] === undefined);
      // Descriptions leave brackets out, and show flags in usage lines.
      const usage = expected.args.replace(/ --.*$/, "");
      const text = args.map(argText).join(" ");
      assert(text === usage || text === `[${usage}]`, `${text}: ${usage}`);
    });
  }
  Deno.test(`${program.name}: each command is described`, () => {
    const described = new Set(commands.map(({ command }) => command));
    const leaves = leafNames(program, []);
    const known = (name: string) => described.has(name) || added[name] !== undefined;
    assert.deepEqual(leaves.filter((name) => !known(name)), []);
  });
}

async function readSpec(program: string): Promise<SpecCommand[] | undefined> {
  try {
    const { commands, globals } = JSON.parse(await Deno.readTextFile(`${DIRECTORY}/flags.json`));
    // Flags of every command stand apart for the program that has a list of them.
    const shared: readonly SpecFlag[] = globals[program] ?? [];
    return (commands as SpecCommand[]).filter((command) => command.program === program)
      .map((command) => ({ ...command, shared }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function find(program: ProgramSpec, path: readonly string[]): CommandSpec {
  let command: CommandSpec = program;
  for (const name of path) {
    const child = command.commands?.find((each) => each.name === name);
    assert(child !== undefined, `there is no command ${path.join(" ")}`);
    command = child;
  }
  return command;
}

function leafNames(command: CommandSpec, path: readonly string[]): string[] {
  const line = [...path, command.name];
  if (command.commands === undefined) return [line.join(" ")];
  return command.commands.flatMap((child) => leafNames(child, line));
}

/** Name, short form, type and default: what the description fixes. */
type Row = readonly [name: string, short: string, type: string, preset: string];

function row({ name, short, type, typeName, defaultText, default: preset = "" }: FlagSpec): Row {
  return [
    `--${name}`,
    short === undefined ? "" : `-${short}`,
    typeName ?? TYPE_NAMES[type],
    defaultText?.startsWith("(") ? defaultText : presetOf(type, preset),
  ];
}

/** An argument as usage lines have it. */
function argText({ name, optional, variadic }: ArgSpec): string {
  const text = name.startsWith("[") || name.includes("<") ? name : `<${name}>`;
  const repeated = variadic ? `${text}...` : text;
  return optional && !name.startsWith("[") ? `[${repeated}]` : repeated;
}

function presetOf(type: FlagType, preset: string): string {
  switch (type) {
    case "bool":
      return preset === "" ? "false" : preset;
    case "int":
    case "int32":
    case "level":
      return preset === "" ? "0" : preset;
    case "duration":
      return preset === "" ? "0s" : preset;
    case "stringSlice":
    case "stringArray":
    case "stringMap":
      return `[${preset}]`;
    default:
      return preset;
  }
}

function specRow({ name, short, type, default: preset }: SpecFlag): Row {
  // The description leaves the default of --short open and says that short is what one gets.
  const isShort = name === "--short" && short === "-s";
  const isList = type.startsWith("string") && type !== "string" && preset === "";
  return [name, short ?? "", type, isShort ? "true" : isList ? "[]" : preset];
}

function byName(a: Row, b: Row): number {
  return a[0] < b[0] ? -1 : 1;
}
