/**
 * Encoding of large messages in parts.
 *
 * @module
 */
import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { inParts, type Parts } from "../base/mod.ts";

/** Elements of lists and maps, nested ones included, from which a message is encoded in parts. */
const LARGE = 512;

/**
 * Encodes a message; long lists and maps in parts, at any depth. The bytes are those of `toBinary`.
 */
export function toBinaryInParts<D extends DescMessage>(
  parts: Parts,
  schema: D,
  message: MessageShape<D>,
): Uint8Array {
  return isLarge(message)
    ? concat([...piecesOf(parts, schema, message)])
    : toBinary(schema, message);
}

/** Reports if a value has more than {@link LARGE} elements. */
function isLarge(value: unknown): boolean {
  const left = [value];
  for (let count = 0; left.length > 0;) {
    const next = left.pop();
    if (typeof next !== "object" || next === null || next instanceof Uint8Array) continue;
    const values: unknown[] = Array.isArray(next) ? next : Object.values(next);
    // Fields of messages and values of oneofs are no elements.
    if (Array.isArray(next) || !("$typeName" in next || "case" in next)) count += values.length;
    if (count > LARGE) return true;
    for (const one of values) if (typeof one === "object") left.push(one);
  }
  return false;
}

type Values = Readonly<Record<string, unknown>>;

/** The encoding in pieces: fields in the order of their numbers, unknown ones at the end. */
function* piecesOf(parts: Parts, schema: DescMessage, message: Message): Generator<Uint8Array> {
  let small: (readonly [DescField, unknown])[] = [];
  for (const field of schema.fields.toSorted((a, b) => a.number - b.number)) {
    const value = valueOf(message, field);
    if (value === undefined) continue;
    if (!isLarge(value)) {
      small.push([field, value]);
      continue;
    }
    yield toBinary(schema, withFields(schema, small));
    small = [];
    yield* largeField(parts, schema, field, value);
  }
  const rest = withFields(schema, small);
  if (message.$unknown !== undefined) rest.$unknown = message.$unknown;
  yield toBinary(schema, rest);
}

function* largeField(
  parts: Parts,
  schema: DescMessage,
  field: DescField,
  value: unknown,
): Generator<Uint8Array> {
  const { number } = field;
  const plain = (some: unknown): Uint8Array =>
    toBinary(schema, withFields(schema, [[field, some]]));
  if (field.fieldKind === "list" && !field.packed) {
    const element = (one: unknown): Uint8Array =>
      isDivisible(field, one)
        ? delimited(number, toBinaryInParts(parts, field.message!, one))
        : plain([one]);
    yield* inParts(
      parts,
      value as unknown[],
      (some) => some.some(isLarge) ? concat(some.map(element)) : plain(some),
    );
  } else if (field.fieldKind === "map" && field.mapKey === ScalarType.STRING) {
    const entry = ([key, one]: [string, unknown]): Uint8Array =>
      isDivisible(field, one)
        ? delimited(number, mapEntry(key, toBinaryInParts(parts, field.message!, one)))
        : plain({ [key]: one });
    yield* inParts(
      parts,
      Object.entries(value as Values),
      (some) =>
        some.some(([, one]) => isLarge(one))
          ? concat(some.map(entry))
          : plain(Object.fromEntries(some)),
    );
  } else if (isDivisible(field, value)) {
    yield delimited(number, toBinaryInParts(parts, field.message!, value));
  } else yield plain(value);
}

/** Reports if a value is a large message whose fields are encoded one by one. */
function isDivisible(field: DescField, value: unknown): value is Message {
  const grouped = "delimitedEncoding" in field && field.delimitedEncoding === true;
  // Wrappers and JSON values are not stored as messages.
  return !grouped && (value as Partial<Message>).$typeName === field.message?.typeName &&
    field.message !== undefined && isLarge(value);
}

/** The value of a field that is set. */
function valueOf(message: Message, field: DescField): unknown {
  const values = message as unknown as Values;
  if (field.oneof === undefined) {
    return Object.hasOwn(values, field.localName) ? values[field.localName] : undefined;
  }
  const chosen = values[field.oneof.localName] as { case?: string; value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}

/** A message with these fields alone. */
function withFields(
  schema: DescMessage,
  fields: readonly (readonly [DescField, unknown])[],
): Message {
  const message = create(schema) as Message & Record<string, unknown>;
  for (const [{ oneof, localName }, value] of fields) {
    if (oneof === undefined) message[localName] = value;
    else message[oneof.localName] = { case: localName, value };
  }
  return message;
}

/** The entry of a map with text as keys. */
function mapEntry(key: string, value: Uint8Array): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(key);
  return writer.tag(2, WireType.LengthDelimited).bytes(value).finish();
}

function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
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
