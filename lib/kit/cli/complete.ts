/**
 * The hidden command `__complete` of the completion scripts. Its arguments are the words of the
 * line, the last one being the word to complete. It prints one candidate on each line (`word TAB
 * description`) and a last line `:none`, `:file` or `:directory`: what the shell may add.
 *
 * @module
 */
import { printable } from "../base/mod.ts";
import type { CandidateSource } from "./flags.ts";
import { parseArgv } from "./parse.ts";
import type { ArgSpec, CommandSpec, Configured, FlagSpec, ProgramSpec } from "./spec.ts";
import { flagOfToken, flagsOf, isFlagToken, locate, takesNextWord } from "./tree.ts";

interface Candidate {
  readonly word: string;
  readonly description: string;
}

interface Answer {
  readonly candidates: readonly Candidate[];
  readonly shell: "none" | "file" | "directory";
  /** Names to look up, and the text before them in the word. */
  readonly source?: CandidateSource;
  readonly prefix?: string;
}

/** Options of a completion. */
export interface CompleteOptions {
  /** Descriptions follow the words. */
  readonly describe: boolean;
  readonly configured: Configured;
}

/** Longest wait for names that have to be looked up, in milliseconds. */
const LOOKUP_MS = 2_000;

/** The output for `words`. */
export async function completeWords(
  program: ProgramSpec,
  words: readonly string[],
  { describe, configured }: CompleteOptions,
): Promise<string> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { candidates, shell, source, prefix = "" } = answer(program, before, current);
  const found = source === undefined ? [] : await lookUp(program, source, {
    before,
    current: current.slice(prefix.length),
    configured,
  });
  const named = found.map((name) => ({ word: prefix + printable(name), description: "" }));
  const lines = [...candidates, ...named]
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, description }) => describe ? `${word}\t${description}` : word);
  return `${[...lines, `:${shell}`].join("\n")}\n`;
}

interface LookUp {
  readonly before: readonly string[];
  readonly current: string;
  readonly configured: Configured;
}

/** Names from a source. Completion says nothing about failures: the shell shows no place for it. */
async function lookUp(
  program: ProgramSpec,
  source: CandidateSource,
  { before, current, configured }: LookUp,
): Promise<readonly string[]> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), LOOKUP_MS);
  try {
    // `--help` turns off the check of the number of arguments, which are not complete yet.
    const last = before.at(-1) ?? "";
    const given = isFlagToken(last) && !last.includes("=") ? before.slice(0, -1) : before;
    const { flags } = parseArgv(program, [...given, "--help"], configured);
    const late = new Promise<readonly string[]>((resolve) =>
      timeout.signal.addEventListener("abort", () => resolve([]), { once: true })
    );
    return await Promise.race([source({ flags, current, signal: timeout.signal }), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

function answer(program: ProgramSpec, before: readonly string[], current: string): Answer {
  const { path, words } = locate(program, before);
  const command = path.at(-1) ?? program;
  const flags = flagsOf(program, command);
  const last = words.at(-1) ?? "";
  if (!words.includes("--")) {
    if (isFlagToken(last) && takesNextWord(flags, last)) {
      return valuesOf(flagOfToken(flags, last), "");
    }
    if (current.startsWith("--") && current.includes("=")) {
      return valuesOf(flagOfToken(flags, current), current.slice(0, current.indexOf("=") + 1));
    }
    if (current.startsWith("-")) return { candidates: flags.map(flagCandidate), shell: "none" };
  }
  return positional(program, command, countArgs(flags, words));
}

/** Words that are neither flags nor the values of flags. */
function countArgs(flags: readonly FlagSpec[], words: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return count + words.length - at - 1;
    if (!isFlagToken(word)) count++;
    else if (takesNextWord(flags, word)) at++;
  }
  return count;
}

function flagCandidate(flag: FlagSpec): Candidate {
  return { word: `--${flag.name}`, description: flag.description };
}

function valuesOf(flag: FlagSpec | undefined, prefix: string): Answer {
  const choices = flag?.type === "bool" ? ["true", "false"] : flag?.choices ?? [];
  return {
    candidates: choices.map((choice) => ({ word: prefix + choice, description: "" })),
    shell: flag?.complete ?? "none",
    source: flag?.candidates,
    prefix,
  };
}

function positional(program: ProgramSpec, command: CommandSpec, count: number): Answer {
  const candidates: Candidate[] = [];
  if (count === 0) {
    const children = (command.commands ?? []).filter(({ hidden }) => hidden !== true);
    candidates.push(...children.map(({ name, summary }) => ({ word: name, description: summary })));
    if (command === program) {
      candidates.push({ word: "help", description: "Help about any command" });
    }
  }
  const last = command.args?.at(-1);
  const arg: ArgSpec | undefined = command.args?.[count] ??
    (last?.variadic === true ? last : undefined);
  for (const choice of arg?.choices ?? arg?.suggestions ?? []) {
    candidates.push({ word: choice, description: arg?.description ?? "" });
  }
  return { candidates, shell: arg?.complete ?? "none", source: arg?.candidates };
}
