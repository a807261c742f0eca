/**
 * Encoding of messages with long lists in parts.
 *
 * @module
 */
import {
  create,
  type DescField,
  type DescMessage,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { inParts, type Parts } from "../base/mod.ts";

/** Elements from which a list is encoded in parts. */
const LONG = 512;

/**
 * Encodes a message; its long lists in parts. The bytes are those of `toBinary`.
 */
export function toBinaryInParts<D extends DescMessage>(
  parts: Parts,
  schema: D,
  message: MessageShape<D>,
): Uint8Array {
  const long = schema.fields.find((field) => listOf(message, field).length > LONG);
  if (long === undefined) return toBinary(schema, message);
  const encodeList = (some: readonly unknown[]): Uint8Array =>
    toBinary(schema, withFields(schema, [[long.localName, some]]));
  const { number } = long;
  return concat([
    toBinary(schema, select(schema, message, (field) => field.number < number)),
    ...inParts(parts, listOf(message, long), encodeList),
    toBinaryInParts(
      parts,
      schema,
      withUnknown(select(schema, message, (field) => field.number > number), message),
    ),
  ]);
}

type Values = Readonly<Record<string, unknown>>;

function listOf(message: object, field: DescField): readonly unknown[] {
  return field.fieldKind === "list" ? (message as Values)[field.localName] as unknown[] : [];
}

/** A message with some fields of another one. */
function select<D extends DescMessage>(
  schema: D,
  message: MessageShape<D>,
  wanted: (field: DescField) => boolean,
): MessageShape<D> {
  const values = message as unknown as Values;
  const own: [string, unknown][] = [];
  for (const field of schema.fields) {
    if (!wanted(field)) continue;
    const name = field.oneof?.localName ?? field.localName;
    const isOther = field.oneof !== undefined &&
      (values[name] as { case?: string }).case !== field.localName;
    if (!isOther && Object.hasOwn(values, name)) own.push([name, values[name]]);
  }
  return withFields(schema, own);
}

function withFields<D extends DescMessage>(
  schema: D,
  fields: readonly (readonly [string, unknown])[],
): MessageShape<D> {
  return Object.assign(create(schema), Object.fromEntries(fields));
}

function withUnknown<M extends { $unknown?: unknown }>(message: M, from: M): M {
  return from.$unknown === undefined
    ? message
    : Object.assign(message, { $unknown: from.$unknown });
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
