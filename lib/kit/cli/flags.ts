/**
 * Types of flag values. `int` has 64 bits as far as numbers are exact (2^53), `level` is a
 * verbosity, `stringSlice` splits at commas, `stringArray` does not, `stringMap` is `k=v,…`; the
 * last three may be repeated.
 */
export type FlagType =
  | "bool"
  | "string"
  | "int"
  | "int32"
  | "uint16"
  | "float32"
  | "duration"
  | "level"
  | "stringSlice"
  | "stringArray"
  | "stringMap";

/** One row of a flag table. */
export interface FlagSpec {
  /** Without dashes. */
  readonly name: string;
  /** Other names that are accepted and not listed. */
  readonly aliases?: readonly string[];
  /** One letter, without dash. */
  readonly short?: string;
  readonly type: FlagType;
  /** The name of the type in help texts, if the one of `type` says too little. */
  readonly typeName?: string;
  /** The default as a user would write it; absent: the type's zero (`false`, `0`, empty). */
  readonly default?: string;
  /** The default in the help text, if `default` is not clear to a reader. */
  readonly defaultText?: string;
  /** One sentence for the help text. */
  readonly description: string;
  /** Variable whose value, if not empty, replaces the default. */
  readonly env?: string;
  /** The accepted values, which completion also offers. */
  readonly choices?: readonly string[];
  /** Candidates of completion; absent: none. */
  readonly complete?: "file" | "directory";
  /** Names that completion offers, for example of a cluster. */
  readonly candidates?: CandidateSource;
}

/** A value after parsing; durations are milliseconds. */
export type FlagValue = boolean | number | string | readonly string[] | ReadonlyMap<string, string>;

/** The flags of a call. Reading a flag that the command does not have is a programming error. */
export interface FlagValues {
  /** True if the command has a flag of this name. */
  has(name: string): boolean;
  bool(name: string): boolean;
  string(name: string): string;
  /** Any numeric type; durations in milliseconds. */
  number(name: string): number;
  /** `stringSlice` and `stringArray`. */
  list(name: string): readonly string[];
  map(name: string): ReadonlyMap<string, string>;
  /** Names of the given flags. */
  readonly given: ReadonlySet<string>;
}

/** Finds names for completion. A source that fails or is late offers nothing. */
export type CandidateSource = (request: CandidateRequest) => Promise<readonly string[]>;

/** The command line so far. */
export interface CandidateRequest {
  /** The flags before the word, with their defaults. */
  readonly flags: FlagValues;
  /** The word to complete. */
  readonly current: string;
  /** Aborted when completion no longer waits. */
  readonly signal: AbortSignal;
}

/** Typed access to parsed values. */
export function flagValues(
  specs: readonly FlagSpec[],
  values: ReadonlyMap<string, FlagValue>,
  given: ReadonlySet<string>,
): FlagValues {
  const types = new Map<string, FlagType>(specs.map((spec) => [spec.name, spec.type]));
  const take = (name: string, allowed: readonly FlagType[]): FlagValue => {
    const type = types.get(name);
    const value = values.get(name);
    if (type === undefined || value === undefined || !allowed.includes(type)) {
      throw new TypeError(`no flag --${name} of type ${allowed.join(" or ")}`);
    }
    return value;
  };
  return {
    has: (name) => types.has(name),
    bool: (name) => take(name, ["bool"]) as boolean,
    string: (name) => take(name, ["string"]) as string,
    number: (name) => take(name, NUMERIC) as number,
    list: (name) => take(name, ["stringSlice", "stringArray"]) as readonly string[],
    map: (name) => take(name, ["stringMap"]) as ReadonlyMap<string, string>,
    given,
  };
}

const NUMERIC: readonly FlagType[] = ["int", "int32", "uint16", "float32", "duration", "level"];
