/**
 * The hidden command `__complete` of the completion scripts. Its arguments are the words of the
 * line, the last one being the word to complete. It prints one candidate on each line (`word TAB
 * description`) and a last line `:none`, `:file` or `:directory`: what the shell may add.
 *
 * @module
 */
import type { ArgSpec, CommandSpec, FlagSpec, ProgramSpec } from "./spec.ts";
import { flagOfToken, flagsOf, isFlagToken, locate, takesNextWord } from "./tree.ts";

interface Candidate {
  readonly word: string;
  readonly description: string;
}

interface Answer {
  readonly candidates: readonly Candidate[];
  readonly shell: "none" | "file" | "directory";
}

/** The output for `words`. */
export function completeWords(
  program: ProgramSpec,
  words: readonly string[],
  describe: boolean,
): string {
  const current = words.at(-1) ?? "";
  const { candidates, shell } = answer(program, words.slice(0, -1), current);
  const lines = candidates
    .filter(({ word }) => word.startsWith(current))
    .map(({ word, description }) => describe ? `${word}\t${description}` : word);
  return `${[...lines, `:${shell}`].join("\n")}\n`;
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
  };
}

function positional(program: ProgramSpec, command: CommandSpec, count: number): Answer {
  const candidates: Candidate[] = [];
  if (count === 0) {
    const children = [...(command.commands ?? [])];
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
  return { candidates, shell: arg?.complete ?? "none" };
}
