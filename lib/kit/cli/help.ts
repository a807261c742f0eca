import type { CommandSpec, FlagSpec, FlagType, ProgramSpec } from "./spec.ts";
import { flagsOf, helpFlag } from "./tree.ts";
import { zeroText } from "./value.ts";

/** The help page of a command, in the usual layout. */
export function helpText(program: ProgramSpec, path: readonly CommandSpec[]): string {
  const command = path.at(-1) ?? program;
  const isRoot = command === program;
  const line = path.map((each) => each.name).join(" ");
  const own = [...(command.flags ?? []), helpFlag(command.name)];
  const sections = [
    command.description ?? command.summary,
    usage(command, line),
    section("Aliases", names(command)),
    section("Examples", (command.examples ?? []).map((example) => `  ${example}`).join("\n")),
    section("Available Commands", commandList(command)),
    section("Flags", flagList(isRoot ? [...own, ...program.globalFlags] : own)),
    isRoot ? "" : section("Global Flags", flagList(globalsOf(program, command))),
    command.commands === undefined
      ? ""
      : `Use "${line} [command] --help" for more information about a command.`,
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

/** The flags of the program that the command does not replace. */
function globalsOf(program: ProgramSpec, command: CommandSpec): readonly FlagSpec[] {
  const names = new Set(program.globalFlags.map(({ name }) => name));
  const own = new Set(command.flags ?? []);
  return flagsOf(program, command).filter((flag) => names.has(flag.name) && !own.has(flag));
}

function section(title: string, body: string): string {
  return body === "" ? "" : `${title}:\n${body}`;
}

function usage(command: CommandSpec, line: string): string {
  const args = (command.args ?? []).map((arg) => {
    const name = arg.variadic === true ? `<${arg.name}>...` : `<${arg.name}>`;
    return arg.optional === true ? `[${name}]` : name;
  });
  const lines: string[] = [];
  if (command.run !== undefined) lines.push(`  ${[line, ...args, "[flags]"].join(" ")}`);
  if (command.commands !== undefined) lines.push(`  ${line} [command]`);
  return `Usage:\n${lines.join("\n")}`;
}

function names(command: CommandSpec): string {
  const { aliases = [] } = command;
  return aliases.length === 0 ? "" : `  ${[command.name, ...aliases].join(", ")}`;
}

function commandList(command: CommandSpec): string {
  const children = (command.commands ?? []).filter((child) => child.hidden !== true).sort((a, b) =>
    a.name < b.name ? -1 : 1
  );
  const width = Math.max(0, ...children.map((child) => child.name.length));
  return children.map((child) => `  ${child.name.padEnd(width)}   ${child.summary}`).join("\n");
}

/** Names of the types in help texts. */
const TYPE_NAMES: Readonly<Record<FlagType, string>> = {
  bool: "",
  string: "string",
  int: "int",
  int32: "int32",
  uint16: "uint16",
  float32: "float32",
  duration: "duration",
  level: "Level",
  stringSlice: "strings",
  stringArray: "stringArray",
  stringMap: "stringToString",
};

function flagList(flags: readonly FlagSpec[]): string {
  const sorted = [...flags].sort((a, b) => a.name < b.name ? -1 : 1);
  const heads = sorted.map((flag) => {
    const short = flag.short === undefined ? "    " : `-${flag.short}, `;
    return `  ${short}--${flag.name} ${flag.typeName ?? TYPE_NAMES[flag.type]}`.trimEnd();
  });
  const width = Math.max(0, ...heads.map((head) => head.length));
  return sorted
    .map((flag, at) => `${heads[at]?.padEnd(width)}   ${describe(flag)}`)
    .join("\n");
}

function describe(flag: FlagSpec): string {
  const parts = [flag.description];
  if (flag.choices !== undefined) parts.push(`(one of ${flag.choices.join(", ")})`);
  const shown = defaultShown(flag);
  if (shown !== "") parts.push(`(default ${shown})`);
  if (flag.env !== undefined) parts.push(`[env ${flag.env}]`);
  return parts.join(" ");
}

/** Defaults equal to the type's zero are omitted. */
function defaultShown(flag: FlagSpec): string {
  if (flag.defaultText !== undefined) return flag.defaultText;
  const text = flag.default ?? "";
  if (text === "" || text === zeroText(flag.type)) return "";
  switch (flag.type) {
    case "string":
      return JSON.stringify(text);
    case "stringSlice":
    case "stringArray":
    case "stringMap":
      return `[${text}]`;
    default:
      return text;
  }
}
