/**
 * Merging messages as the wire format does: scalars are replaced, messages merged field by field,
 * lists appended, maps merged by entry. In addition, packed messages of one type and free-form maps
 * are merged; durations are replaced.
 *
 * @module
 */
import {
  clone,
  type DescField,
  type DescMessage,
  fromBinary,
  isFieldSet,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { SERVED_TYPES } from "./registry.ts";

/** Merge rule of lists. */
export type ListRule = "join" | "replace";

/** Merges a message into another of its type. The source is not changed or shared. */
export function mergeInto<D extends DescMessage>(
  schema: D,
  target: MessageShape<D>,
  source: MessageShape<D>,
  lists: ListRule = "join",
): void {
  for (const field of schema.fields) {
    if (!isFieldSet(source, field)) continue;
    assign(target, field, merged(field, valueOf(target, field), valueOf(source, field), lists));
  }
}

function valueOf(message: Message, field: DescField): unknown {
  const fields = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) return fields[field.localName];
  const member = fields[field.oneof.localName] as { case?: string; value?: unknown };
  return member.case === field.localName ? member.value : undefined;
}

function assign(message: Message, field: DescField, value: unknown): void {
  const fields = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) fields[field.localName] = value;
  else fields[field.oneof.localName] = { case: field.localName, value };
}

function merged(field: DescField, before: unknown, value: unknown, lists: ListRule): unknown {
  switch (field.fieldKind) {
    case "list": {
      const items = (value as unknown[]).map((item) => copy(field.message, item));
      return lists === "replace" ? items : [...before as unknown[] ?? [], ...items];
    }
    case "map": {
      const entries = { ...before as Record<string, unknown> };
      for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
        entries[key] = mergedValue(field.message, entries[key], item, lists);
      }
      return entries;
    }
    default:
      return mergedValue(field.message, before, value, lists);
  }
}

function mergedValue(
  schema: DescMessage | undefined,
  before: unknown,
  value: unknown,
  lists: ListRule,
): unknown {
  if (schema === undefined || before === undefined) return copy(schema, value);
  switch (schema.typeName) {
    case "google.protobuf.Any":
      return mergedAny(before as Any, value as Any, lists);
    case "google.protobuf.Struct":
      return mergedJson(before as JsonObject, value as JsonObject, lists);
  }
  if (schema.typeName.startsWith("google.protobuf.")) return copy(schema, value);
  mergeInto(schema, before as Message, value as Message, lists);
  return before;
}

/** Packed messages of the same known type are merged, others replaced. */
function mergedAny(before: Any, value: Any, lists: ListRule): Any {
  const name = typeName(value.typeUrl);
  const schema = typeName(before.typeUrl) === name ? SERVED_TYPES.getMessage(name) : undefined;
  if (schema === undefined) return { ...value };
  const message = fromBinary(schema, before.value);
  mergeInto(schema, message, fromBinary(schema, value.value), lists);
  return { ...before, value: toBinary(schema, message) };
}

function typeName(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

function mergedJson(before: JsonObject, value: JsonObject, lists: ListRule): JsonObject {
  const out: JsonObject = { ...before };
  for (const [key, item] of Object.entries(value)) {
    const own = out[key];
    if (isMap(own) && isMap(item)) out[key] = mergedJson(own, item, lists);
    else if (Array.isArray(own) && Array.isArray(item) && lists === "join") {
      out[key] = [...own, ...item];
    } else out[key] = item;
  }
  return out;
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Scalars and wrapped scalars need no copy. */
function copy(schema: DescMessage | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== "object" || value === null) return value;
  if (schema.typeName === "google.protobuf.Struct") return structuredClone(value);
  return "$typeName" in value ? clone(schema, value as Message) : value;
}
