import {
  assertNever,
  formatDuration,
  MeshError,
  parseBoolean,
  parseDuration,
} from "../base/mod.ts";

/** Types of variables. Durations are written like `1h30m` and read as milliseconds. */
export type EnvType = "bool" | "int" | "float" | "duration" | "string";

/** The value of each type. */
export interface EnvValues {
  bool: boolean;
  int: number;
  float: number;
  duration: number;
  string: string;
}

/** A value of any type. */
export type EnvValue = EnvValues[EnvType];

/** The type of a default. A duration may be text (`"30s"`) or milliseconds. */
export type DefaultOf<K extends EnvType> = K extends "duration" ? number | string : EnvValues[K];

/** Inclusive bounds of a number or duration; durations in milliseconds. */
export interface EnvRange {
  readonly least: number;
  /** Absent: no upper bound. */
  readonly most?: number;
}

const FORMS: Readonly<Record<EnvType, string>> = {
  bool: "true or false",
  int: "a whole number",
  float: "a number",
  duration: "a duration such as 100ms or 1h30m",
  string: "any text",
};

/** Restrictions of a type. */
export interface EnvBounds {
  readonly range?: EnvRange;
  /** The values that a string takes, absent when it takes any; of a bool, with words beside true and false. */
  readonly choices?: readonly string[];
}

/** The accepted form, for messages: `a whole number from 1 to 65535`, `REDIRECT or TPROXY`. */
export function formOf(type: EnvType, { range, choices }: EnvBounds = {}): string {
  if (choices !== undefined) return choicesOf(choices);
  return range === undefined ? FORMS[type] : `${FORMS[type]} ${boundsOf(type, range)}`;
}

/** Values in words: `aws, azure or none`. */
export function choicesOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? "";
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(", ")} or ${last}`;
}

/** Bounds in words: `from 1 to 65535`, `of at least 0s`. */
export function boundsOf(type: EnvType, { least, most }: EnvRange): string {
  return most === undefined
    ? `of at least ${valueText(type, least)}`
    : `from ${valueText(type, least)} to ${valueText(type, most)}`;
}

/**
 * Parses the text of a variable.
 *
 * @throws {MeshError} `env-invalid`, naming the variable, the value and the accepted form.
 */
export function parseValue(
  name: string,
  type: EnvType,
  text: string,
  bounds: EnvBounds = {},
): EnvValue {
  const value = valueOf(type, text) ?? bounds.choices?.find((one) => one === text);
  if (value !== undefined && isWithin(value, bounds)) return value;
  const form = formOf(type, bounds);
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

/** Reports if a value is within its bounds. An empty string is valid for any choices. */
function isWithin(value: EnvValue, { range, choices }: EnvBounds): boolean {
  if (choices !== undefined) return value === "" || choices.includes(String(value));
  if (range === undefined || typeof value !== "number") return true;
  return value >= range.least && value <= (range.most ?? Infinity);
}

function valueOf(type: EnvType, text: string): EnvValue | undefined {
  switch (type) {
    case "string":
      return text;
    case "bool":
      return parseBoolean(text);
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
