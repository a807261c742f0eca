import { assertNever, formatDuration, MeshError, parseDuration } from "../base/mod.ts";

/** Kinds of value. Durations are written like `1h30m` and read as milliseconds. */
export type EnvType = "bool" | "int" | "float" | "duration" | "string";

/** What a variable of each kind is read as. */
export interface EnvValues {
  bool: boolean;
  int: number;
  float: number;
  duration: number;
  string: string;
}

/** A value of any kind. */
export type EnvValue = EnvValues[EnvType];

/** A default; that of a duration may be given as text (`"30s"`) or in milliseconds. */
export type DefaultOf<K extends EnvType> = K extends "duration" ? number | string : EnvValues[K];

/** What is accepted, as messages and the reference say it. */
export const FORMS: Readonly<Record<EnvType, string>> = {
  bool: "true or false",
  int: "a whole number",
  float: "a number",
  duration: "a duration such as 100ms or 1h30m",
  string: "any text",
};

const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/**
 * Reads the text of a variable.
 *
 * @throws {MeshError} `env-invalid`, naming the variable, the value and the accepted form.
 */
export function parseValue(name: string, type: EnvType, text: string): EnvValue {
  const value = valueOf(type, text);
  if (value !== undefined) return value;
  const form = FORMS[type];
  throw new MeshError(
    "env-invalid",
    `environment variable ${name} is set to ${JSON.stringify(text)}; it takes ${form}`,
    { remedy: `Set ${name} to ${form}, or unset it.` },
  );
}

/** A value as a user would write it. */
export function valueText(type: EnvType, value: EnvValue): string {
  return type === "duration" ? formatDuration(Number(value)) : String(value);
}

function valueOf(type: EnvType, text: string): EnvValue | undefined {
  switch (type) {
    case "string":
      return text;
    case "bool":
      return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
    case "int":
      return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text))
        ? Number(text)
        : undefined;
    case "float":
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
        ? Number(text)
        : undefined;
    case "duration":
      try {
        return parseDuration(text);
      } catch {
        return undefined;
      }
    default:
      return assertNever(type);
  }
}
