import type { FlagSpec, FlagValues } from "./flags.ts";

export type { FlagSpec, FlagType } from "./flags.ts";

/** A positional argument; optional ones come last. */
export interface ArgSpec {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** The values that are accepted; also what completion offers. */
  readonly choices?: readonly string[];
  /** What completion offers, when other values are accepted too. */
  readonly suggestions?: readonly string[];
}

/** A command: either runs, or groups others. */
export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** Longer text for the command's own help; the summary when left out. */
  readonly description?: string;
  /** Command lines shown as examples, one a line. */
  readonly examples?: readonly string[];
  readonly args?: readonly ArgSpec[];
  readonly flags?: readonly FlagSpec[];
  readonly commands?: readonly CommandSpec[];
  /** Gives the exit status. Anything thrown is shown as `Error: …` and gives status 1. */
  readonly run?: (call: Invocation) => Promise<number> | number;
}

/** A program: the root command and the flags that every command has. */
export interface ProgramSpec extends CommandSpec {
  readonly globalFlags: readonly FlagSpec[];
}

/** Where a command writes. */
export interface Io {
  /** Standard output. */
  out(text: string): void;
  /** Standard error. */
  err(text: string): void;
}

/** What a command gets. */
export interface Invocation {
  readonly flags: FlagValues;
  readonly args: readonly string[];
  readonly io: Io;
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal;
}

/** What surrounds a run; tests put their own in place. */
export interface RunEnvironment {
  readonly io: Io;
  readonly signal: AbortSignal;
}
