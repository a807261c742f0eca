/**
 * The wire codec, the only room that uses the protobuf library. Generated messages are imported by
 * path (`#envoy/…`, `#mesh/…`).
 *
 * @module
 */
import {
  create,
  type DescMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import type { Parts } from "../base/mod.ts";
import { toBinaryInParts } from "./parts.ts";

export {
  clone,
  create,
  createFileRegistry,
  createRegistry,
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescOneof,
  equals,
  fromBinary,
  fromJson,
  fromJsonString,
  isFieldSet,
  isMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  type Registry,
  ScalarType,
  toBinary,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
export { toBinaryInParts };
export { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
export {
  type Any,
  AnySchema,
  anyUnpack,
  BoolValueSchema,
  DoubleValueSchema,
  type Duration,
  DurationSchema,
  Int32ValueSchema,
  StringValueSchema,
  type Struct,
  StructSchema,
  timestampFromMs,
  timestampMs,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
} from "@bufbuild/protobuf/wkt";

export { type Violation, violationOf } from "./constraints.ts";
export { filesRead } from "./lazy.ts";
export { enumValuesOf } from "./enum_values.ts";
export { type ListRule, mergeInto } from "./merge.ts";
export { SERVED_TYPES } from "./registry.ts";
export { isSensitive } from "./sensitive.ts";

/** Prefix of every type URL. */
export const TYPE_URL_PREFIX = "type.googleapis.com/";

export function typeUrl(schema: DescMessage): string {
  return TYPE_URL_PREFIX + schema.typeName;
}

/** A message packed into an `Any`, under its own type URL. */
export function packAny<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Any {
  return create(AnySchema, { typeUrl: typeUrl(schema), value: encode(schema, init) });
}

/** {@link packAny} with long lists and maps in parts; the bytes are the same. */
export function packAnyInParts<D extends DescMessage>(
  parts: Parts,
  schema: D,
  init: MessageInitShape<D>,
): Any {
  const value = toBinaryInParts(parts, schema, create(schema, init));
  return create(AnySchema, { typeUrl: typeUrl(schema), value });
}

/** The bytes of a message or an initialiser. */
export function encode<D extends DescMessage>(
  schema: D,
  init: MessageInitShape<D> | MessageShape<D>,
): Uint8Array {
  const message = (init as Partial<Message>).$typeName === undefined
    ? create(schema, init as MessageInitShape<D>)
    : init as MessageShape<D>;
  return toBinary(schema, message);
}

/** Milliseconds of a protobuf duration; fractions are kept. */
export function durationMs(d: Duration): number {
  return Number(d.seconds) * 1000 + d.nanos / 1e6;
}

/** The protobuf duration of a number of milliseconds. */
export function durationOf(ms: number): Duration {
  const seconds = Math.trunc(ms / 1000);
  return create(DurationSchema, {
    seconds: BigInt(seconds),
    nanos: Math.round((ms - seconds * 1000) * 1e6),
  });
}
