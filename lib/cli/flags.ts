/**
 * Types of flag values. `int` is 64 bits wide as far as numbers are exact (2^53), `level` is a
 * verbosity, `stringSlice` splits at commas, `stringArray` does not, `stringMap` takes `k=v,…`;
 * these last three may be repeated.
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
  /** One letter, without dash. */
  readonly short?: string;
  readonly type: FlagType;
  /** As a user would write it; left out: the type's zero (`false`, `0`, empty). */
  readonly default?: string;
  /** One sentence for the help text. */
  readonly description: string;
  /** Variable whose value, when not empty, takes the place of the default. */
  readonly env?: string;
  /** The values that are accepted; also what completion offers. */
  readonly choices?: readonly string[];
  /** What completion offers for a value; nothing is offered when left out. */
  readonly complete?: "file" | "directory";
}

/** A value after parsing; durations are milliseconds. */
export type FlagValue = boolean | number | string | readonly string[] | ReadonlyMap<string, string>;

/** The flags of a call. Asking for a flag that the command lacks is a mistake of the program. */
export interface FlagValues {
  bool(name: string): boolean;
  string(name: string): string;
  /** Any numeric type; durations in milliseconds. */
  number(name: string): number;
  /** `stringSlice` and `stringArray`. */
  list(name: string): readonly string[];
  map(name: string): ReadonlyMap<string, string>;
  /** Names of the flags that the command line gives, whatever their values. */
  readonly given: ReadonlySet<string>;
}

/** Wraps parsed values with the types their table promises. */
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
    bool: (name) => take(name, ["bool"]) as boolean,
    string: (name) => take(name, ["string"]) as string,
    number: (name) => take(name, NUMERIC) as number,
    list: (name) => take(name, ["stringSlice", "stringArray"]) as readonly string[],
    map: (name) => take(name, ["stringMap"]) as ReadonlyMap<string, string>,
    given,
  };
}

const NUMERIC: readonly FlagType[] = ["int", "int32", "uint16", "float32", "duration", "level"];
