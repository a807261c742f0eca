/**
 * Constraints of Envoy's protos (`validate.rules`). Envoy rejects every message that breaks one.
 *
 * @module
 */
import {
  type DescField,
  type DescMessage,
  type DescOneof,
  fromBinary,
  getOption,
  isFieldSet,
  type Message,
} from "@bufbuild/protobuf";
import type { Any, Duration } from "@bufbuild/protobuf/wkt";
import {
  type DurationRules,
  DurationRulesSchema,
  type FieldRules,
  required,
  rules as fieldRules,
} from "./gen/validate/validate_pb.ts";
import { SERVED_TYPES } from "./registry.ts";

/** A broken constraint. */
export interface Violation {
  /** JSON names from the message down, for example `filterChains[0].filters[1].name`. */
  readonly path: string;
  /** The message, to follow the path. */
  readonly message: string;
}

/** The first constraint that a message, or one packed in it, breaks. */
export function violationOf(schema: DescMessage, message: Message): Violation | undefined {
  return inMessage(schema, message, "");
}

/**
 * The constraints of a message, read from its options once, because reading takes longer than
 * checking.
 */
interface Declared {
  /** Oneofs of which a member must be set. */
  readonly groups: readonly DescOneof[];
  readonly fields: readonly (readonly [DescField, FieldRules])[];
}

const declarations = new WeakMap<DescMessage, Declared>();

function declaredOf(schema: DescMessage): Declared {
  let declared = declarations.get(schema);
  if (declared === undefined) {
    declared = {
      groups: schema.oneofs.filter((oneof) => getOption(oneof, required)),
      fields: schema.fields.map((field) => [field, getOption(field, fieldRules)]),
    };
    declarations.set(schema, declared);
  }
  return declared;
}

function inMessage(schema: DescMessage, message: Message, path: string): Violation | undefined {
  const { groups, fields } = declaredOf(schema);
  for (const { fields } of groups) {
    if (fields.some((field) => isFieldSet(message, field))) continue;
    const names = fields.map((field) => field.jsonName).join(", ");
    return { path, message: `needs one of ${names}` };
  }
  for (const [field, rules] of fields) {
    const found = inField(field, rules, message, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inField(
  field: DescField,
  rules: FieldRules,
  message: Message,
  parent: string,
): Violation | undefined {
  const path = parent === "" ? field.jsonName : `${parent}.${field.jsonName}`;
  const set = isFieldSet(message, field);
  if (!set && needed(field, rules)) return { path, message: "is missing" };
  if (!set && !countsUnset(field)) return undefined;
  const value = valueOf(message, field);
  const broken = brokenBy(field, rules, value);
  if (broken !== undefined) return { path, message: broken };
  if (rules.message?.skip === true || field.message === undefined) return undefined;
  if (field.fieldKind === "list") {
    return first(value as unknown[], (item, i) => inValue(field.message!, item, `${path}[${i}]`));
  }
  if (field.fieldKind === "map") {
    const entries = Object.entries(value as Record<string, unknown>);
    return first(entries, ([key, item]) => inValue(field.message!, item, `${path}.${key}`));
  }
  return inValue(field.message, value, path);
}

function first<T>(
  items: readonly T[],
  check: (item: T, index: number) => Violation | undefined,
): Violation | undefined {
  for (const [index, item] of items.entries()) {
    const found = check(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inValue(schema: DescMessage, value: unknown, path: string): Violation | undefined {
  if (typeof value !== "object" || value === null || !("$typeName" in value)) return undefined;
  if (schema.typeName !== "google.protobuf.Any") return inMessage(schema, value as Message, path);
  const { typeUrl, value: bytes } = value as Any;
  const packed = SERVED_TYPES.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  return packed && inMessage(packed, fromBinary(packed, bytes), path);
}

function needed(field: DescField, { message, type }: FieldRules): boolean {
  if (message?.required === true) return true;
  return field.message !== undefined && (type.case === "duration" || type.case === "any") &&
    type.value.required;
}

/**
 * Fields without presence always have a value; lists and maps may be empty. Members of a oneof are
 * set or not.
 */
function countsUnset(field: DescField): boolean {
  return field.oneof === undefined && (field.fieldKind !== "message") &&
    !("presence" in field && field.presence === 1);
}

function valueOf(message: Message, field: DescField): unknown {
  const fields = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) return fields[field.localName];
  return (fields[field.oneof.localName] as { value?: unknown }).value;
}

/** The broken rule of a value, of the rules that occur in patchable messages. */
function brokenBy(field: DescField, { type }: FieldRules, value: unknown): string | undefined {
  switch (type.case) {
    case "string":
      if (typeof value !== "string") return undefined;
      if (type.value.ignoreEmpty && value === "") return undefined;
      return [...value].length < Number(type.value.minLen) ||
          new TextEncoder().encode(value).length < Number(type.value.minBytes)
        ? "is too short"
        : undefined;
    case "repeated":
      return (value as unknown[]).length < Number(type.value.minItems)
        ? `needs ${type.value.minItems} or more`
        : undefined;
    case "map":
      return Object.keys(value as object).length < Number(type.value.minPairs)
        ? `needs ${type.value.minPairs} or more`
        : undefined;
    case "enum": {
      const known = field.enum?.values.some((one) => one.number === value) ?? true;
      if (type.value.definedOnly && !known) return `${value} is not defined`;
      return type.value.notIn.includes(value as number) ? `${value} is not allowed` : undefined;
    }
    case "duration":
      return value === undefined ? undefined : duration(value as Duration, type.value);
    case "uint32":
    case "int32":
    case "uint64":
    case "int64":
    case "double":
    case "float":
      return number(value, type.value);
    default:
      return undefined;
  }
}

function number(
  value: unknown,
  rules: Message & { gt?: unknown; gte?: unknown; lt?: unknown; lte?: unknown },
): string | undefined {
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const has = (name: string): boolean => Object.hasOwn(rules, name);
  const than = (name: "gt" | "gte" | "lt" | "lte") => rules[name] as number | bigint;
  if (has("gt") && !(value > than("gt"))) return `must be more than ${than("gt")}`;
  if (has("gte") && !(value >= than("gte"))) return `must be ${than("gte")} or more`;
  if (has("lt") && !(value < than("lt"))) return `must be less than ${than("lt")}`;
  if (has("lte") && !(value <= than("lte"))) return `must be ${than("lte")} or less`;
  return undefined;
}

function duration(value: Duration, rules: DurationRules): string | undefined {
  const nanos = ({ seconds, nanos }: Duration): bigint => seconds * 1_000_000_000n + BigInt(nanos);
  const at = nanos(value);
  const { fields } = DurationRulesSchema;
  const given = (name: string): boolean =>
    fields.some((field) => field.localName === name && isFieldSet(rules, field));
  if (given("gt") && !(at > nanos(rules.gt!))) return "is too short";
  if (given("gte") && !(at >= nanos(rules.gte!))) return "is too short";
  if (given("lt") && !(at < nanos(rules.lt!))) return "is too long";
  if (given("lte") && !(at <= nanos(rules.lte!))) return "is too long";
  return undefined;
}
