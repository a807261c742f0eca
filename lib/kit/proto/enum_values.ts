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
  isMessage,
  type Message,
} from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { SERVED_TYPES } from "./registry.ts";

/**
 * Returns the enum values in a message, in messages below it, and in packed ones of known types, as
 * `package.Enum.VALUE`. A list may name a value several times.
 */
export function enumValuesOf(schema: DescMessage, message: Message): string[] {
  if (isMessage(message, AnySchema)) {
    const { typeUrl, value } = message;
    const packed = SERVED_TYPES.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    return packed === undefined ? [] : enumValuesOf(packed, fromBinary(packed, value));
  }
  const reflected = reflect(schema, message);
  return reflected.fields.filter((field) => reflected.isSet(field))
    .flatMap((field) => valuesIn(reflected, field));
}

function valuesIn(reflected: ReflectMessage, field: DescField): string[] {
  switch (field.fieldKind) {
    case "enum":
      return named(field.enum, reflected.get(field));
    case "message":
      return below(reflected.get(field));
    case "list":
      return valuesOf(field, reflected.get(field));
    case "map":
      return valuesOf(field, reflected.get(field).values());
    default:
      return [];
  }
}

/** Returns the enum values in the values of a list or a map. */
function valuesOf(
  field: Pick<DescField, "enum" | "message">,
  values: Iterable<unknown>,
): string[] {
  if (field.enum === undefined && field.message === undefined) return [];
  return [...values].flatMap((one) =>
    isReflected(one) ? below(one) : field.enum !== undefined ? named(field.enum, one) : []
  );
}

function isReflected(value: unknown): value is ReflectMessage {
  return typeof value === "object" && value !== null && "desc" in value && "message" in value;
}

function below({ desc, message }: ReflectMessage): string[] {
  return enumValuesOf(desc, message);
}

function named({ typeName, value }: DescEnum, number: unknown): string[] {
  const found = typeof number === "number" ? value[number] : undefined;
  return found === undefined ? [] : [`${typeName}.${found.name}`];
}
