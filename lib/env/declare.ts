import { assertNever, formatDuration, MeshError, parseDuration } from "../base/mod.ts";
import { envText } from "./source.ts";

/** Kinds of value. Durations are written like `1h30m` and read as milliseconds. */
export type EnvType = "bool" | "int" | "float" | "duration" | "string";

interface Values {
  bool: boolean;
  int: number;
  float: number;
  duration: number;
  string: string;
}

/** A default; that of a duration may be given as text (`"30s"`) or in milliseconds. */
type DefaultOf<K extends EnvType> = K extends "duration" ? number | string : Values[K];

/** What a room says about a variable it reads. */
export interface EnvDeclaration<K extends EnvType, D extends DefaultOf<K> | undefined> {
  readonly name: string;
  readonly type: K;
  /** Left out: the variable has no default and reads as `undefined`. */
  readonly default?: D;
  /** One sentence for the generated reference. */
  readonly doc: string;
  /** Programs that read it, such as `pilot-discovery`. */
  readonly readers: readonly string[];
}

/** One line of the generated reference. */
export interface EnvDescription {
  readonly name: string;
  readonly type: EnvType;
  /** Default as a user would write it; `undefined` when there is none. */
  readonly default: string | undefined;
  readonly doc: string;
  readonly readers: readonly string[];
}

/** A declared variable. */
export interface EnvVar<T> {
  readonly name: string;
  /** True when the environment sets it to something that counts (see {@link EnvVar.get}). */
  isSet(): boolean;
  /**
   * The value in force. A variable set to nothing counts as unset, except for strings, where
   * nothing is a value.
   *
   * @throws {MeshError} `env-invalid`, naming the variable, the value and the accepted form.
   */
  get(): T;
}

const declared = new Map<string, EnvDescription>();

/**
 * Declares a variable. Two rooms may declare the same one if type and default agree; the
 * reference then lists the readers of both.
 *
 * @throws {MeshError} `env-declared-twice` when they disagree, `env-invalid` on a bad default.
 */
export function declareEnv<K extends EnvType, const D extends DefaultOf<K> | undefined = undefined>(
  declaration: EnvDeclaration<K, D>,
): EnvVar<undefined extends D ? Values[K] | undefined : Values[K]> {
  type Result = undefined extends D ? Values[K] | undefined : Values[K];
  const { name, type } = declaration;
  const fallback = normaliseDefault(name, type, declaration.default);
  register({ ...declaration, default: defaultText(type, fallback) });
  const raw = () => {
    const text = envText(name);
    return text === "" && type !== "string" ? undefined : text;
  };
  return {
    name,
    isSet: () => raw() !== undefined,
    get: () => {
      const text = raw();
      return (text === undefined ? fallback : parseValue(name, type, text)) as Result;
    },
  };
}

/** All declarations so far, sorted by name: the source of the generated reference. */
export function declaredEnv(): EnvDescription[] {
  return [...declared.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Checks every variable declared so far (of one program, if `reader` is given), so that a bad
 * value stops a program at its start and not hours later.
 *
 * @throws {MeshError} `env-invalid`; with several bad values the message lists each.
 */
export function validateEnv(reader?: string): void {
  const faults: MeshError[] = [];
  for (const { name, type, readers } of declaredEnv()) {
    if (reader !== undefined && !readers.includes(reader)) continue;
    const text = envText(name);
    if (text === undefined || text === "") continue;
    try {
      parseValue(name, type, text);
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      faults.push(error);
    }
  }
  const [first] = faults;
  if (first === undefined) return;
  throw new MeshError("env-invalid", faults.map((fault) => fault.message).join("; "), {
    remedy: first.remedy,
    cause: first,
  });
}

function register(next: EnvDescription): void {
  const before = declared.get(next.name);
  if (before === undefined) {
    declared.set(next.name, next);
    return;
  }
  if (before.type !== next.type || before.default !== next.default) {
    throw new MeshError(
      "env-declared-twice",
      `${next.name} is declared as ${before.type} (default ${before.default ?? "none"}) and as ` +
        `${next.type} (default ${next.default ?? "none"})`,
    );
  }
  const readers = [...new Set([...before.readers, ...next.readers])].sort();
  declared.set(next.name, { ...before, readers });
}

function normaliseDefault(
  name: string,
  type: EnvType,
  value: boolean | number | string | undefined,
): boolean | number | string | undefined {
  return type === "duration" && typeof value === "string" ? parseValue(name, type, value) : value;
}

function defaultText(type: EnvType, value: boolean | number | string | undefined) {
  if (value === undefined) return undefined;
  return type === "duration" ? formatDuration(Number(value)) : String(value);
}

const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE = new Set(["0", "f", "F", "false", "FALSE", "False"]);

function parseValue(name: string, type: EnvType, text: string): boolean | number | string {
  switch (type) {
    case "string":
      return text;
    case "bool":
      if (TRUE.has(text)) return true;
      if (FALSE.has(text)) return false;
      throw invalid(name, text, "true or false");
    case "int": {
      const value = Number(text);
      if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
      throw invalid(name, text, "a whole number");
    }
    case "float": {
      const value = Number(text);
      if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(value)) {
        return value;
      }
      throw invalid(name, text, "a number");
    }
    case "duration":
      try {
        return parseDuration(text);
      } catch {
        throw invalid(name, text, "a duration such as 100ms or 1h30m");
      }
    default:
      return assertNever(type);
  }
}

function invalid(name: string, text: string, form: string): MeshError {
  return new MeshError(
    "env-invalid",
    `environment variable ${name} is set to ${JSON.stringify(text)}; it takes ${form}`,
    { remedy: `Set ${name} to ${form}, or unset it.` },
  );
}
