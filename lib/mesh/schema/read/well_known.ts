/**
 * Readers of values whose JSON form is not that of a message: enums and well-known types.
 *
 * @module
 */
import {
  type DescEnum,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "../../../kit/proto/mod.ts";
import { nearest } from "../../../kit/text/mod.ts";
import { describe, readDuration, type Reading, readScalar, wrongType } from "./scalars.ts";

/** Reports if a value is a map of the document. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Reads a value of a well-known type other than `Any`; throws `TypeError` for one that has no reader. */
export function readWellKnown(schema: DescMessage, value: unknown): Reading<unknown> {
  if (schema.typeName === "google.protobuf.Duration") return readDuration(value);
  if (schema.typeName === "google.protobuf.Struct") {
    return isMap(value)
      ? { value: toJson(value) as JsonObject }
      : { fault: wrongType("a map", value) };
  }
  if (PLAIN.has(schema.typeName)) return readPlain(schema, value);
  const wrapped = schema.typeName.endsWith("Value") ? schema.fields[0]?.scalar : undefined;
  if (wrapped === undefined) throw new TypeError(`no reader for ${schema.typeName}`);
  return readScalar(wrapped, value);
}

/** Well-known types whose JSON form is neither that of a message nor one scalar. */
const PLAIN: ReadonlySet<string> = new Set(
  ["Value", "ListValue", "Timestamp", "Empty", "FieldMask"].map((name) =>
    `google.protobuf.${name}`
  ),
);

function readPlain(schema: DescMessage, value: unknown): Reading<unknown> {
  try {
    return { value: fromJson(schema, toJson(value) as JsonValue) };
  } catch {
    return { fault: wrongType(`a ${schema.name} in its JSON form`, value) };
  }
}

/** Copies values that aliases share, and converts values that JSON does not have to numbers. */
function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]));
}

/** Reads a value of an enum, by name or by number. */
export function readEnum(schema: DescEnum, value: unknown): Reading<number> {
  const names = schema.values.map((one) => one.name);
  const found = schema.values.find((one) => one.name === value || one.number === value);
  if (found !== undefined) return { value: found.number };
  const meant = typeof value === "string" ? nearest(value, names) : undefined;
  return {
    fault: {
      code: "unknown-value",
      message: `${describe(value)} is none of the values: ${names.join(", ")}`,
      remedy: meant === undefined ? `Write one of: ${names.join(", ")}.` : `Did you mean ${meant}?`,
    },
  };
}
