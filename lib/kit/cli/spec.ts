import type { CandidateSource, FlagSpec, FlagValues } from "./flags.ts";

export type { FlagSpec, FlagType } from "./flags.ts";

/** A positional argument; optional ones come last. */
export interface ArgSpec {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** True for the last argument of a command that takes any number of values. */
  readonly variadic?: boolean;
  /** Completion by the shell itself. */
  readonly complete?: "file";
  /** The accepted values, which completion also offers. */
  readonly choices?: readonly string[];
  /** Candidates of completion, if other values are accepted too. */
  readonly suggestions?: readonly string[];
  /** Names that completion offers, for example of a cluster. */
  readonly candidates?: CandidateSource;
}

/** A command that runs, or groups other commands. */
export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** Longer text for the command's own help; default: the summary. */
  readonly description?: string;
  /** Command lines as examples, one on each line. */
  readonly examples?: readonly string[];
  readonly args?: readonly ArgSpec[];
  readonly flags?: readonly FlagSpec[];
  readonly commands?: readonly CommandSpec[];
  /** True: it works and is not listed. */
  readonly hidden?: boolean;
  /** Returns the exit status. A thrown value is written as `Error: …` and gives status 1. */
  readonly run?: (call: Invocation) => Promise<number> | number;
}

/** A program: the root command and the flags that every command has. */
export interface ProgramSpec extends CommandSpec {
  readonly globalFlags: readonly FlagSpec[];
}

/** Output streams of a command. */
export interface Io {
  /** Standard output. */
  out(text: string): void;
  /** Standard error. */
  err(text: string): void;
  /** All of standard input. Absent: there is none. */
  readonly input?: () => Promise<Uint8Array>;
  /** The next line of standard input; `undefined` at its end. Absent: there is none. */
  readonly line?: () => Promise<string | undefined>;
  /** Properties of the terminal; absent: neither stream is one. */
  readonly terminal?: TerminalFacts;
}

/** Properties of the terminal that the streams are connected to. */
export interface TerminalFacts {
  /** Standard output takes colours: a terminal, and `NO_COLOR` and `TERM=dumb` are not set. */
  readonly outColors: boolean;
  /** Standard error takes colours. */
  readonly errColors: boolean;
  /** Standard error is a terminal, on which a line of progress can be overwritten. */
  readonly progress: boolean;
}

/** Input of a command. */
export interface Invocation {
  /** The program and the names of the command, such as `tool group inner`. */
  readonly command: string;
  readonly flags: FlagValues;
  readonly args: readonly string[];
  readonly io: Io;
  /** Aborted by a termination signal. */
  readonly signal: AbortSignal;
  /** Values of the configuration file. */
  readonly configured: Configured;
}

/** Values that replace the defaults of flags, and the file that they are from. */
export interface Configured {
  readonly file: string;
  /** Text by flag name. */
  readonly values: ReadonlyMap<string, string>;
}

/** Environment of a run; tests replace it. */
export interface RunEnvironment {
  readonly io: Io;
  readonly signal: AbortSignal;
  /** Values of a configuration file; absent: none. */
  readonly configured?: Configured;
}
