/**
 * Reads words by the `pflag` convention: each flag with its value, and the arguments.
 *
 * @module
 */
import { usageError } from "./errors.ts";
import type { FlagSpec } from "./spec.ts";
import { suggest } from "./suggest.ts";
import { flagOfToken, isFlagToken } from "./tree.ts";
import { MeshError } from "../base/mod.ts";

/** A flag as it was given. */
export interface GivenFlag {
  readonly flag: FlagSpec;
  readonly value: string;
}

/** The words of a command line by kind. */
export interface Normalised {
  /** The flags, in order; a flag may be given several times. */
  readonly options: readonly GivenFlag[];
  readonly args: readonly string[];
}

/**
 * Separates flags from arguments.
 *
 * @param line the words of the command, for messages
 * @throws {MeshError} `usage` for an unknown flag, `flag-value` for one without its value.
 */
export function normalise(
  flags: readonly FlagSpec[],
  words: readonly string[],
  line: string,
): Normalised {
  const options: GivenFlag[] = [];
  const args: string[] = [];
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") {
      args.push(...queue);
      break;
    }
    if (!isFlagToken(word)) args.push(word);
    else if (word.startsWith("--")) options.push(longFlag(flags, word, queue, line));
    else options.push(...shortFlags(flags, word, queue, line));
  }
  return { options, args };
}

function longFlag(
  flags: readonly FlagSpec[],
  word: string,
  queue: string[],
  line: string,
): GivenFlag {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
  const flag = flagOfToken(flags, `--${name}`);
  if (flag === undefined) throw unknownFlag(flags, name, line);
  if (equals >= 0) return { flag, value: word.slice(equals + 1) };
  if (flag.type === "bool") return { flag, value: "true" };
  return { flag, value: nextWord(queue, `--${name}`) };
}

/** A cluster of short flags: switches, the last of which may be a flag with its value. */
function shortFlags(
  flags: readonly FlagSpec[],
  word: string,
  queue: string[],
  line: string,
): GivenFlag[] {
  const options: GivenFlag[] = [];
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    const flag = flags.find((each) => each.short === letter);
    if (flag === undefined) {
      throw usageError(
        `unknown shorthand flag: ${JSON.stringify(letter)} in ${word}`,
        `Run '${line} --help' for the flags.`,
      );
    }
    const rest = word.slice(at + 1);
    if (rest.startsWith("=")) return [...options, { flag, value: rest.slice(1) }];
    if (flag.type !== "bool") {
      const value = rest === "" ? nextWord(queue, `-${letter}`) : rest;
      return [...options, { flag, value }];
    }
    options.push({ flag, value: "true" });
  }
  return options;
}

function nextWord(queue: string[], flag: string): string {
  const word = queue.shift();
  if (word === undefined) throw new MeshError("flag-value", `flag needs an argument: ${flag}`);
  return word;
}

function unknownFlag(flags: readonly FlagSpec[], name: string, line: string): MeshError {
  const [near] = suggest(name, flags.map((flag) => flag.name));
  const meant = near === undefined ? "" : `Did you mean --${near}?\n`;
  return usageError(`unknown flag: --${name}`, `${meant}Run '${line} --help' for the flags.`);
}
