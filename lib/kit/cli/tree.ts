/**
 * Lookups in a program's tree of commands.
 *
 * @module
 */
import type { CommandSpec, FlagSpec, ProgramSpec } from "./spec.ts";

/** `--help`, which every command has. */
export function helpFlag(command: string): FlagSpec {
  return { name: "help", short: "h", type: "bool", description: `help for ${command}` };
}

/** The sub-command that `word` names, by name or alias. */
export function childNamed(command: CommandSpec, word: string): CommandSpec | undefined {
  return command.commands?.find((child) =>
    child.name === word || child.aliases?.includes(word) === true
  );
}

/** Flags of a command: its own, those of the program that it does not replace, and `--help`. */
export function flagsOf(program: ProgramSpec, command: CommandSpec): readonly FlagSpec[] {
  const own = command.flags ?? [];
  const names = new Set(own.map(({ name }) => name));
  const shorts = new Set(own.map(({ short }) => short));
  const globals = program.globalFlags.filter(({ name }) => !names.has(name))
    .map((flag) => flag.short !== undefined && shorts.has(flag.short) ? withoutShort(flag) : flag);
  return [...own, ...globals, helpFlag(command.name)];
}

function withoutShort(flag: FlagSpec): FlagSpec {
  return { ...flag, short: undefined };
}

/** The flag that a token such as `--name`, `--name=x`, `-n` or `-nx` starts with. */
export function flagOfToken(flags: readonly FlagSpec[], token: string): FlagSpec | undefined {
  if (token.startsWith("--")) {
    const name = token.slice(2).split("=", 1)[0] ?? "";
    return flags.find((flag) => flag.name === name || flag.aliases?.includes(name));
  }
  return flags.find((flag) => flag.short === token[1]);
}

/** True for tokens that are flags; a single dash is an argument (standard input, by custom). */
export function isFlagToken(token: string): boolean {
  return token.startsWith("-") && token !== "-";
}

/** The flags that may follow a command, to decide which take a value before the sub-command is known. */
function flagsBelow(program: ProgramSpec, command: CommandSpec): FlagSpec[] {
  const found: FlagSpec[] = [...flagsOf(program, command)];
  const visit = (child: CommandSpec) => {
    found.push(...(child.flags ?? []));
    child.commands?.forEach(visit);
  };
  command.commands?.forEach(visit);
  return found;
}

/** True if the value of a token is the next word. */
export function takesNextWord(flags: readonly FlagSpec[], token: string): boolean {
  if (token.startsWith("--")) {
    const flag = flagOfToken(flags, token);
    return !token.includes("=") && flag !== undefined && flag.type !== "bool";
  }
  for (let at = 1; at < token.length; at++) {
    const flag = flags.find(({ short }) => short === token[at]);
    if (flag === undefined) return false;
    if (flag.type !== "bool") return at === token.length - 1;
  }
  return false;
}

/** A command line with its command. */
export interface Located {
  /** From the program down to the command. */
  readonly path: readonly CommandSpec[];
  /** All words except those that name the command. */
  readonly words: readonly string[];
  /** The first argument, if no unknown flag stands before it, whose value it could be. */
  readonly firstArgument: string | undefined;
}

/** Follows the words that name commands down the tree; flags may be anywhere. */
export function locate(program: ProgramSpec, argv: readonly string[]): Located {
  let known = flagsBelow(program, program);
  const path: CommandSpec[] = [program];
  const words: string[] = [];
  let descending = true;
  let hasUnknownFlag = false;
  let firstArgument: string | undefined;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      words.push(...argv.slice(at));
      break;
    }
    if (isFlagToken(word)) {
      words.push(word);
      hasUnknownFlag ||= flagOfToken(known, word) === undefined;
      const next = argv[at + 1];
      if (takesNextWord(known, word) && next !== undefined) words.push(next), at++;
      continue;
    }
    const child = descending ? childNamed(path.at(-1) ?? program, word) : undefined;
    if (child === undefined) {
      if (descending && !hasUnknownFlag) firstArgument = word;
      descending = false;
      words.push(word);
    } else {
      path.push(child);
      known = flagsBelow(program, child);
    }
  }
  return { path, words, firstArgument };
}
