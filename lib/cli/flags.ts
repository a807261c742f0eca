import type { FlagSpec, FlagType } from "./spec.ts";

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
