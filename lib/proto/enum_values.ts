/**
 * Values of enums in messages.
 *
 * @module
 */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromBinary,
  isFieldSet,
  type Message,
} from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { SERVED_TYPES } from "./registry.ts";

/**
 * Returns the enum values in a message, in messages below it, and in packed ones of known types, as
 * `package.Enum.VALUE`. A list may name a value several times.
 */
export function enumValuesOf(schema: DescMessage, message: Message): string[] {
  if (schema.typeName === "google.protobuf.Any") {
    const { typeUrl, value } = message as Any;
    const packed = SERVED_TYPES.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    return packed === undefined ? [] : enumValuesOf(packed, fromBinary(packed, value));
  }
  return schema.fields.flatMap((field) => {
    if (!isFieldSet(message, field)) return [];
    const value = valueOf(message, field);
    const values = field.fieldKind === "list"
      ? value as unknown[]
      : field.fieldKind === "map"
      ? Object.values(value as Record<string, unknown>)
      : [value];
    if (field.enum !== undefined) return values.flatMap((one) => named(field.enum!, one));
    const { message: below } = field;
    return below === undefined ? [] : values.flatMap((one) => enumValuesOf(below, one as Message));
  });
}

function valueOf(message: Message, field: DescField): unknown {
  const fields = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) return fields[field.localName];
  return (fields[field.oneof.localName] as { value?: unknown }).value;
}

function named({ typeName, value }: DescEnum, number: unknown): string[] {
  const found = value[number as number];
  return found === undefined ? [] : [`${typeName}.${found.name}`];
}
