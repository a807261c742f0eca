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

/** Bounds of a number or of a duration, which are part of its form; durations in milliseconds. */
export interface EnvRange {
  readonly least: number;
  /** Left out: there is no upper bound. */
  readonly most?: number;
}

const FORMS: Readonly<Record<EnvType, string>> = {
  bool: "true or false",
  int: "a whole number",
  float: "a number",
  duration: "a duration such as 100ms or 1h30m",
  string: "any text",
};

const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** What narrows a kind of value. */
export interface EnvBounds {
  readonly range?: EnvRange;
  /** The only values of a text, where it is one of a few. */
  readonly choices?: readonly string[];
}

/** What is accepted, as messages say it: `a whole number from 1 to 65535`, `REDIRECT or TPROXY`. */
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
 * Reads the text of a variable.
 *
 * @throws {MeshError} `env-invalid`, naming the variable, the value and the accepted form.
 */
export function parseValue(
  name: string,
  type: EnvType,
  text: string,
  bounds: EnvBounds = {},
): EnvValue {
  const value = valueOf(type, text);
  if (value !== undefined && within(value, bounds)) return value;
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

/** A text set to nothing stands for none of its choices. */
function within(value: EnvValue, { range, choices }: EnvBounds): boolean {
  if (choices !== undefined) return value === "" || choices.includes(String(value));
  if (range === undefined || typeof value !== "number") return true;
  return value >= range.least && value <= (range.most ?? Infinity);
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
