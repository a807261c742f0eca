/**
 * Every field of a message as a path and a value that is not its default.
 *
 * @module
 */
import { type DescField, type DescMessage, ScalarType } from "../../../lib/kit/proto/mod.ts";

/** A field set to one value. */
export interface FieldCase {
  /** Names and `[]`, for example `http[].match[].uri.exact`; maps have their key as a name. */
  readonly label: string;
  /** Path of the value in a specification. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** Names, in their own message, of the fields that exclude each other with a field of the path. */
  readonly excludes: ReadonlyMap<number, readonly string[]>;
}

/** Values and map keys that fit a field better than those made up, by label. */
export interface FieldValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly keys: Readonly<Record<string, string>>;
}

/** Steps so far. */
interface At {
  readonly label: string;
  readonly path: readonly (string | number)[];
  readonly excludes: ReadonlyMap<number, readonly string[]>;
}

/** All fields of a message and of those in it. An enum gives a case for each of its values. */
export function fieldCases(schema: DescMessage, known: FieldValues): FieldCase[] {
  return casesOf(schema, { label: "", path: [], excludes: new Map() }, known);
}

function casesOf(schema: DescMessage, at: At, known: FieldValues): FieldCase[] {
  return schema.fields.flatMap((field) => fieldCase(field, step(at, field), known));
}

function step(at: At, field: DescField): At {
  const label = at.label === "" ? field.jsonName : `${at.label}.${field.jsonName}`;
  const others = field.oneof?.fields.filter((one) => one !== field).map((one) => one.jsonName);
  const excludes = new Map(at.excludes);
  if (others !== undefined) excludes.set(at.path.length, others);
  return { label, path: [...at.path, field.jsonName], excludes };
}

function fieldCase(field: DescField, at: At, known: FieldValues): FieldCase[] {
  switch (field.fieldKind) {
    case "list":
      return valueCases(field, { ...at, label: `${at.label}[]`, path: [...at.path, 0] }, known);
    case "map": {
      const key = known.keys[at.label] ?? "k";
      return valueCases(
        field,
        { ...at, label: `${at.label}.${key}`, path: [...at.path, key] },
        known,
      );
    }
    default:
      return valueCases(field, at, known);
  }
}

type Single = Pick<DescField, "scalar" | "enum" | "message">;

function valueCases(field: Single, at: At, known: FieldValues): FieldCase[] {
  if (at.label in known.values) return [{ ...at, value: known.values[at.label] }];
  const { enum: names, message } = field;
  if (names !== undefined) {
    return names.values.filter((one) => one.number !== 0)
      .map((one) => ({ ...at, label: `${at.label}=${one.name}`, value: one.name }));
  }
  if (message === undefined) return [{ ...at, value: scalarValue(field.scalar) }];
  switch (message.typeName) {
    case "google.protobuf.Duration":
      return [{ ...at, value: "7s" }];
    case "google.protobuf.Struct":
      return [{ ...at, value: { a: 1 } }];
  }
  if (message.typeName.startsWith("google.protobuf.")) {
    return [{ ...at, value: scalarValue(message.fields[0]?.scalar) }];
  }
  return message.fields.length === 0 ? [{ ...at, value: {} }] : casesOf(message, at, known);
}

function scalarValue(scalar: ScalarType | undefined): unknown {
  switch (scalar) {
    case ScalarType.BOOL:
      return true;
    case ScalarType.STRING:
      return "probe";
    case ScalarType.BYTES:
      return "cHJvYmU=";
    default:
      return 7;
  }
}

/** A specification with one field set; what the field excludes is taken out. */
export function withField(spec: unknown, { path, value, excludes }: FieldCase): unknown {
  // Copied as JSON, so that repeated values of the scene are separate objects.
  const whole = JSON.parse(JSON.stringify(spec));
  let at = whole as Record<string | number, unknown>;
  path.forEach((name, index) => {
    for (const other of excludes.get(index) ?? []) delete at[other];
    if (index === path.length - 1) at[name] = value;
    else {
      at[name] ??= typeof path[index + 1] === "number" ? [] : {};
      at = at[name] as Record<string | number, unknown>;
    }
  });
  return whole;
}
