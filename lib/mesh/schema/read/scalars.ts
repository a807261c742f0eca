/**
 * Strict readers of protobuf JSON scalars: numbers in range, strings, durations in protobuf's form
 * and with the units h, m, s, ms, us, ns.
 *
 * @module
 */
import { MeshError, parseDuration } from "../../../kit/base/mod.ts";
import { type Duration, durationOf, ScalarType } from "../../../kit/proto/mod.ts";
import type { Finding } from "../problem.ts";

/** A problem of a value without its path. */
export type Fault = Pick<Finding, "code" | "message" | "remedy">;

/** A value, or its problem. */
export type Reading<T> = { readonly value: T; readonly fault?: undefined } | {
  readonly value?: undefined;
  readonly fault: Fault;
};

/** Returns a short description of a value for messages. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "object":
      return "a map";
    case "string":
      return `the string ${JSON.stringify(shorten(value))}`;
    case "boolean":
      return `the boolean ${value}`;
    default:
      return `the number ${String(value)}`;
  }
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Returns the problem of a value with a wrong type. */
export function wrongType(expected: string, value: unknown): Fault {
  const type = typeof value;
  const quote = expected === "a string" && (type === "number" || type === "boolean");
  return {
    code: "wrong-type",
    message: `expected ${expected}, found ${describe(value)}`,
    remedy: quote ? `Put it in quotes; without them YAML reads a ${type}.` : `Write ${expected}.`,
  };
}

const INT_RANGES = new Map<ScalarType, readonly [bigint, bigint]>([
  [ScalarType.INT32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [ScalarType.SINT32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [ScalarType.SFIXED32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [ScalarType.UINT32, [0n, 2n ** 32n - 1n]],
  [ScalarType.FIXED32, [0n, 2n ** 32n - 1n]],
  [ScalarType.INT64, [-(2n ** 63n), 2n ** 63n - 1n]],
  [ScalarType.SINT64, [-(2n ** 63n), 2n ** 63n - 1n]],
  [ScalarType.SFIXED64, [-(2n ** 63n), 2n ** 63n - 1n]],
  [ScalarType.UINT64, [0n, 2n ** 64n - 1n]],
  [ScalarType.FIXED64, [0n, 2n ** 64n - 1n]],
]);

/** Reads one scalar. 64-bit integers become bigint, other numbers `number`. */
export function readScalar(type: ScalarType, value: unknown): Reading<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return typeof value === "string" ? { value } : { fault: wrongType("a string", value) };
    case ScalarType.BOOL:
      return typeof value === "boolean" ? { value } : { fault: wrongType("true or false", value) };
    case ScalarType.BYTES:
      return readBytes(value);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return readFloat(value);
    default:
      return readInteger(type, value);
  }
}

function readInteger(type: ScalarType, value: unknown): Reading<unknown> {
  const [low, high] = INT_RANGES.get(type) ?? [0n, 0n];
  const exact = toBigInt(value);
  if (exact === undefined) return { fault: wrongType("a whole number", value) };
  if (exact < low || exact > high) {
    return {
      fault: {
        code: "out-of-range",
        message: `${exact} is outside ${low} to ${high}`,
        remedy: `Write a whole number from ${low} to ${high}.`,
      },
    };
  }
  return { value: high > 2n ** 32n ? exact : Number(exact) };
}

/** Protobuf JSON writes 64-bit integers as strings, and readers accept both for every integer. */
function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  return undefined;
}

function readFloat(value: unknown): Reading<number> {
  const number = typeof value === "string" && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(value)
    ? Number(value)
    : typeof value === "bigint"
    ? Number(value)
    : value;
  return typeof number === "number" && Number.isFinite(number)
    ? { value: number }
    : { fault: wrongType("a number", value) };
}

function readBytes(value: unknown): Reading<Uint8Array> {
  const fault = wrongType("a base64 string", value);
  if (typeof value !== "string") return { fault };
  try {
    const standard = value.replace(/-/g, "+").replace(/_/g, "/");
    return { value: Uint8Array.fromBase64(standard) };
  } catch {
    return { fault };
  }
}

/** Reads `1.5s`, `1h30m`, `100ms`: protobuf's form, and other units than seconds. */
export function readDuration(value: unknown): Reading<Duration> {
  try {
    if (typeof value === "string") return { value: durationOf(parseDuration(value)) };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
  }
  return {
    fault: {
      code: "invalid-duration",
      message: `expected a duration, found ${describe(value)}`,
      remedy: "Write a number with a unit, for example 1.5s, 100ms or 1h30m.",
    },
  };
}
