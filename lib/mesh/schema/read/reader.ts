/**
 * Converts plain values to protobuf messages by their descriptors: strict protobuf JSON that
 * collects all problems.
 *
 * @module
 */
import {
  AnySchema,
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { allSteps, STEP_ITEMS } from "../../../kit/base/mod.ts";
import type { Path } from "../../../kit/text/mod.ts";
import { fieldNamed, FieldsRead, unknownField } from "./field_names.ts";
import type { Report } from "../problem.ts";
import { describe, type Fault, type Reading, readScalar, wrongType } from "./scalars.ts";
import { isMap, readEnum, readWellKnown } from "./well_known.ts";

/**
 * Reads a message. Unknown fields, wrong types, numbers out of range, unknown enum names and
 * conflicts within a oneof group are reported; the valid parts are returned. `null` is unset. Maps
 * have sorted keys, so equal content has equal bytes.
 */
export function readMessage<D extends DescMessage>(
  schema: D,
  value: unknown,
  path: Path,
  report: Report,
): MessageShape<D> {
  const message = create(schema);
  readInto({ schema, message }, value, path, report);
  return message;
}

/** A message that a value is read into. */
interface Target {
  readonly schema: DescMessage;
  readonly message: Message;
}

/**
 * Reads a value into an existing message: fields that the value sets are replaced. Otherwise like
 * {@linkcode readMessage}.
 */
export function readInto(
  { schema, message }: Target,
  value: unknown,
  path: Path,
  report: Report,
): void {
  if (!isMap(value)) {
    failAt(report, path, wrongType("a map", value));
    return;
  }
  const fields = new FieldsRead(report);
  for (const [name, item] of Object.entries(value)) {
    const opened = openField({ schema, fields }, [name, item], path, report);
    if (opened === undefined) continue;
    const read = readField(opened.field, item, opened.at, report);
    if (read !== undefined) assign(message, opened.field, read.value);
  }
}

/** Like {@linkcode readMessage}, with steps between the items of the message's own lists. */
export function* readMessageInSteps<D extends DescMessage>(
  schema: D,
  value: unknown,
  path: Path,
  report: Report,
): Generator<void, MessageShape<D>> {
  const message = create(schema);
  yield* readIntoInSteps({ schema, message }, value, path, report);
  return message;
}

/** {@linkcode readInto}, with steps between the items of the message's own lists. */
export function* readIntoInSteps(
  { schema, message }: Target,
  value: unknown,
  path: Path,
  report: Report,
): Generator<void, void> {
  if (!isMap(value)) return readInto({ schema, message }, value, path, report);
  const fields = new FieldsRead(report);
  for (const [name, item] of Object.entries(value)) {
    const opened = openField({ schema, fields }, [name, item], path, report);
    if (opened === undefined) continue;
    const { field, at } = opened;
    const read = field.fieldKind === "list"
      ? yield* readListInSteps(field, item, at, report)
      : readField(field, item, at, report);
    if (read !== undefined) assign(message, field, read.value);
  }
}

/** The field of a name that a value sets, with its path; `undefined` without one, or on a fault. */
function openField(
  { schema, fields }: { readonly schema: DescMessage; readonly fields: FieldsRead },
  [name, item]: readonly [string, unknown],
  path: Path,
  report: Report,
): { readonly field: DescField; readonly at: Path } | undefined {
  const field = fieldNamed(schema, name);
  const at = [...path, field?.jsonName ?? name];
  if (field === undefined) {
    unknownField(report, at, name, schema.fields);
    return undefined;
  }
  return item !== null && fields.add(at, field, name) ? { field, at } : undefined;
}

function assign(message: Message, field: DescField, value: unknown): void {
  const target = message as unknown as Record<string, unknown>;
  if (field.oneof) target[field.oneof.localName] = { case: field.localName, value };
  else target[field.localName] = value;
}

type Read = { readonly value: unknown } | undefined;

function readField(field: DescField, value: unknown, path: Path, report: Report): Read {
  switch (field.fieldKind) {
    case "list":
      return readList(field, value, path, report);
    case "map":
      return readMap(field, value, path, report);
    default:
      return readSingle(field, value, path, report);
  }
}

type Single = Pick<DescField, "scalar" | "enum" | "message">;

function readSingle(field: Single, value: unknown, path: Path, report: Report): Read {
  if (field.scalar !== undefined) return settle(readScalar(field.scalar, value), path, report);
  if (field.enum !== undefined) return settle(readEnum(field.enum, value), path, report);
  const schema = field.message;
  if (schema === undefined) return undefined;
  if (!schema.typeName.startsWith("google.protobuf.")) {
    return { value: readMessage(schema, value, path, report) };
  }
  if (schema.typeName === "google.protobuf.Any") return readAny(value, path, report);
  return settle(readWellKnown(schema, value), path, report);
}

/** Key of the type in the JSON form of an `Any`. */
const TYPE_KEY = "@type";

/**
 * Reads an `Any`, whose type is named next to its fields; a type that Mesh does not have is ignored
 * with a warning.
 */
function readAny(value: unknown, path: Path, report: Report): Read {
  if (!isMap(value)) {
    failAt(report, path, wrongType("a map", value));
    return undefined;
  }
  const { [TYPE_KEY]: type, ...fields } = value;
  if (typeof type !== "string" || type === "") {
    const remedy = "Give @type, for example type.googleapis.com/envoy.config.cluster.v3.Cluster.";
    report.failKey(path, "required", "the message has no type", remedy);
    return undefined;
  }
  const schema = report.types?.getMessage(type.slice(type.lastIndexOf("/") + 1));
  if (schema === undefined) {
    const message = `type ${describe(type)} is not known here, and its fields are not checked`;
    report.warn([...path, TYPE_KEY], "unknown-type", message, "Make sure that the proxy has it.");
    return { value: create(AnySchema, { typeUrl: type }) };
  }
  return { value: packAny(schema, readMessage(schema, fields, path, report)) };
}

type ListField = DescField & { fieldKind: "list" };

function readList(field: ListField, value: unknown, path: Path, report: Report): Read {
  return allSteps(readListInSteps(field, value, path, report));
}

function* readListInSteps(
  field: ListField,
  value: unknown,
  path: Path,
  report: Report,
): Generator<void, Read> {
  if (!Array.isArray(value)) {
    failAt(report, path, wrongType("a list", value));
    return undefined;
  }
  const out: unknown[] = [];
  for (const [index, item] of value.entries()) {
    if (index > 0 && index % STEP_ITEMS === 0) yield;
    const read = readSingle(field, item, [...path, index], report);
    // A list keeps its length, so that later rules report the right index.
    out.push(read === undefined ? placeholder(field) : read.value);
  }
  return { value: out };
}

function placeholder(field: Single): unknown {
  if (field.message !== undefined) return create(field.message);
  return field.enum !== undefined ? 0 : "";
}

function readMap(
  field: DescField & { fieldKind: "map" },
  value: unknown,
  path: Path,
  report: Report,
): Read {
  if (!isMap(value)) {
    failAt(report, path, wrongType("a map", value));
    return undefined;
  }
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const read = readSingle(field, value[key], [...path, key], report);
    if (read !== undefined) out[key] = read.value;
  }
  return { value: out };
}

function settle(reading: Reading<unknown>, path: Path, report: Report): Read {
  if (reading.fault === undefined) return { value: reading.value };
  failAt(report, path, reading.fault);
  return undefined;
}

function failAt(report: Report, path: Path, fault: Fault): void {
  report.fail(path, fault.code, fault.message, fault.remedy);
}
