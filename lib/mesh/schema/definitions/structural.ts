/**
 * Structural schemas of messages: the form of OpenAPI 3 that definitions of custom resources take.
 *
 * @module
 */
import {
  type DescField,
  type DescMessage,
  type DescOneof,
  ScalarType,
} from "../../../kit/proto/mod.ts";
import { DURATION_PATTERN, FIELD_CONDITIONS } from "./field_conditions.ts";
import type { MessageConditions, Rule } from "./expressions.ts";
import { MESSAGE_CONDITIONS, ROOT_CONDITIONS } from "./message_conditions.ts";

/** A structural schema; the names are those of the orchestrator. */
export interface StructuralSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly allOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-list-type"?: "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-validations"?: readonly Rule[];
}

/**
 * Returns the description of a message or field by its full name in the protos, for example
 * `mesh.networking.v1alpha3.Gateway.servers`; an empty text: none.
 */
export type Describe = (name: string) => string;

const PRESERVED = { "x-kubernetes-preserve-unknown-fields": true } as const;
const MAX_UINT32 = 4_294_967_295;

/** Values whose JSON form is not that of a message. */
const WELL_KNOWN: Readonly<Record<string, StructuralSchema>> = {
  "google.protobuf.Duration": { type: "string", pattern: DURATION_PATTERN },
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object", ...PRESERVED },
  "google.protobuf.Any": { type: "object", ...PRESERVED },
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.Value": PRESERVED,
  "google.protobuf.ListValue": { type: "array", items: PRESERVED },
};

/** The structural schema of a message, with the JSON names of its fields. */
export function structuralSchema(
  schema: DescMessage,
  describe: Describe = () => "",
): StructuralSchema {
  const conditions = MESSAGE_CONDITIONS[schema.typeName] ?? {};
  const { rules = [] } = ROOT_CONDITIONS[schema.typeName] ?? {};
  const all = { ...conditions, rules: [...conditions.rules ?? [], ...rules] };
  return {
    ...described(describe(schema.typeName)),
    ...ofMessage(schema, { outer: [], describe }, all),
  };
}

interface Context {
  /** The messages around. */
  readonly outer: readonly DescMessage[];
  readonly describe: Describe;
}

/**
 * A message inside itself cannot be described, because a structural schema has no references: its
 * fields are kept and not checked.
 */
function ofMessage(
  schema: DescMessage,
  { outer, describe }: Context,
  conditions: MessageConditions = MESSAGE_CONDITIONS[schema.typeName] ?? {},
): StructuralSchema {
  const known = WELL_KNOWN[schema.typeName];
  if (known !== undefined) return known;
  const wrapped = schema.typeName.startsWith("google.protobuf.")
    ? schema.fields[0]?.scalar
    : undefined;
  if (wrapped !== undefined) return ofScalar(wrapped);
  if (outer.includes(schema)) return { type: "object", ...PRESERVED };
  const within = { outer: [...outer, schema], describe };
  const { required = [], rules = [] } = conditions;
  const properties = Object.fromEntries(
    schema.fields.map((field) => [
      field.jsonName,
      ofField(field, within, required.includes(field.jsonName)),
    ]),
  );
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...ofGroups(schema.oneofs),
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules }),
  };
}

function described(description: string): Pick<StructuralSchema, "description"> {
  return description === "" ? {} : { description };
}

/** A required list or text must not be empty. */
function ofField(field: DescField, context: Context, isRequired: boolean): StructuralSchema {
  const name = `${field.parent.typeName}.${field.name}`;
  const { maxItems, mapKey, minProperties, ...value } = FIELD_CONDITIONS[name] ?? {};
  const head = described(context.describe(name));
  const single = { ...ofSingle(field, context), ...value };
  const size = minProperties === undefined ? {} : { minProperties };
  switch (field.fieldKind) {
    case "list":
      return {
        ...head,
        type: "array",
        items: single,
        ...(isRequired ? { minItems: 1 } : {}),
        ...(maxItems === undefined ? {} : { maxItems }),
        ...(mapKey === undefined ? {} : {
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": [mapKey],
        }),
      };
    case "map":
      return { ...head, type: "object", additionalProperties: single, ...size };
    default:
      return {
        ...head,
        ...single,
        ...size,
        ...(isRequired && single.type === "string" && single.enum === undefined
          ? { minLength: 1 }
          : {}),
      };
  }
}

function ofSingle(
  field: Pick<DescField, "scalar" | "enum" | "message">,
  context: Context,
): StructuralSchema {
  if (field.message !== undefined) return ofMessage(field.message, context);
  if (field.enum !== undefined) {
    return { type: "string", enum: field.enum.values.map(({ name }) => name) };
  }
  return ofScalar(field.scalar ?? ScalarType.STRING);
}

function ofScalar(scalar: ScalarType): StructuralSchema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", format: "byte" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: MAX_UINT32 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      // JSON writes them as texts; documents have numbers, too.
      return { "x-kubernetes-int-or-string": true };
    default:
      return { type: "string" };
  }
}

/** At most one field of each group may be set. */
function ofGroups(groups: readonly DescOneof[]): StructuralSchema {
  const rules = groups.filter(({ fields }) => fields.length > 1).map(({ fields }) => {
    const set = fields.map(({ jsonName }) => ({ required: [jsonName] }));
    return { oneOf: [{ not: { anyOf: set } }, ...set] };
  });
  if (rules.length === 0) return {};
  return rules.length === 1 ? rules[0]! : { allOf: rules };
}
