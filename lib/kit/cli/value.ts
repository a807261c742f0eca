/**
 * Texts of flags to values, with the ranges of the types.
 *
 * @module
 */
import { assertNever, parseBoolean, parseDuration } from "../base/mod.ts";
import { splitCsv } from "./csv.ts";
import type { FlagValue } from "./flags.ts";
import type { FlagSpec, FlagType } from "./spec.ts";

/** The reason why a text is invalid; the caller adds the flag. */
export class ValueError extends Error {}

/**
 * Parses one occurrence of a flag. Lists and maps add to `previous`, which is undefined at the
 * first occurrence, which thus replaces the default.
 *
 * @throws {ValueError}
 */
export function parseValue(spec: FlagSpec, text: string, previous?: FlagValue): FlagValue {
  const value = parseType(spec.type, text, previous);
  const { choices } = spec;
  if (choices === undefined) return value;
  for (const each of Array.isArray(value) ? value : [value]) {
    // The empty text means "not set", the default of such flags.
    if (each !== "" && !choices.includes(String(each))) {
      throw new ValueError(`must be ${choices.join(" or ")}`);
    }
  }
  return value;
}

/** The value of a type without flag, environment and default. */
export function zeroText(type: FlagType): string {
  switch (type) {
    case "bool":
      return "false";
    case "duration":
      return "0s";
    case "int":
    case "int32":
    case "uint16":
    case "float32":
    case "level":
      return "0";
    default:
      return "";
  }
}

function parseType(type: FlagType, text: string, previous: FlagValue | undefined): FlagValue {
  switch (type) {
    case "bool":
      return parseBool(text);
    case "string":
      return text;
    case "int":
      return parseInteger(text, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    case "int32":
    case "level":
      return parseInteger(text, -(2 ** 31), 2 ** 31 - 1);
    case "uint16":
      return parseInteger(text, 0, 2 ** 16 - 1);
    case "float32":
      return parseFloat32(text);
    case "duration":
      return parseMilliseconds(text);
    case "stringSlice":
      return [...(previous as readonly string[] | undefined ?? []), ...splitList(text)];
    case "stringArray":
      return [...(previous as readonly string[] | undefined ?? []), text];
    case "stringMap":
      return parsePairs(text, previous as ReadonlyMap<string, string> | undefined);
    default:
      return assertNever(type);
  }
}

function parseBool(text: string): boolean {
  const value = parseBoolean(text);
  if (value === undefined) throw new ValueError("must be true or false");
  return value;
}

/** Decimal, or with a prefix: `0x` hexadecimal, `0o` or `0` octal, `0b` binary. */
function parseInteger(text: string, least: number, greatest: number): number {
  const [, sign = "", digits = ""] = /^([+-]?)([0-9a-z]+)$/i.exec(text) ?? [];
  const value = Number(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  if (digits === "" || !Number.isInteger(value) || /e/i.test(digits) && !/^0x/i.test(digits)) {
    throw new ValueError("must be a whole number");
  }
  const signed = sign === "-" ? -value : value;
  if (signed < least || signed > greatest) {
    throw new ValueError(`must lie between ${least} and ${greatest}`);
  }
  return signed === 0 ? 0 : signed;
}

/** Greatest finite number of 32 bits. */
const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

function parseFloat32(text: string): number {
  const value = Number(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw new ValueError("must be a number");
  if (Math.abs(value) > MAX_FLOAT32) throw new ValueError("is too large for 32 bits");
  return value;
}

function parseMilliseconds(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new ValueError("must be a duration such as 100ms or 1h30m");
  }
}

function splitList(text: string): string[] {
  const fields = splitCsv(text);
  if (fields === undefined) throw new ValueError("has a quote that is not closed");
  return fields;
}

function parsePairs(text: string, previous: ReadonlyMap<string, string> = new Map()) {
  const pairs = new Map(previous);
  // A single pair is not split, so that its value may contain quotes.
  const parts = text.split("=").length === 2 ? [text] : splitList(text);
  for (const part of parts) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    if (equals < 0) throw new ValueError(`${part} must be formatted as key=value`);
    pairs.set(part.slice(0, equals), part.slice(equals + 1));
  }
  return pairs;
}
