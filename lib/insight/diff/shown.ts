/**
 * Encoded resources in readable form: packed messages decoded, durations formatted, secrets
 * redacted.
 *
 * @module
 */
import { formatDuration, hash, messageOf } from "../../kit/base/mod.ts";
import {
  type DescField,
  type DescMessage,
  fromBinary,
  isSensitive,
  type JsonObject,
  type JsonValue,
  SERVED_TYPES,
  toJson,
  TYPE_URL_PREFIX,
} from "../../kit/proto/mod.ts";

/** Text in place of secrets. */
export const REDACTED = "[redacted]";

/** Options of showing a resource. */
export interface ShowOptions {
  /**
   * Durations as `1m30s` instead of the canonical `90s`; the result is then not valid protobuf
   * JSON.
   */
  readonly humanDurations?: boolean;
}

/**
 * A resource as JSON with unpacked `Any` fields. Sensitive fields such as private keys and
 * passwords are {@link REDACTED}; file names are shown. Unknown types and undecodable bytes give an
 * object with the reason.
 */
export function showResource(
  typeUrl: string,
  bytes: Uint8Array,
  options: ShowOptions = {},
): JsonValue {
  const schema = messageNamed(typeUrl);
  if (schema === undefined) return unreadable(typeUrl, bytes, "the type is not known here");
  try {
    const json = toJson(schema, fromBinary(schema, bytes), { registry: SERVED_TYPES });
    return show(schema, json, options);
  } catch (error) {
    return unreadable(typeUrl, bytes, messageOf(error));
  }
}

/**
 * The shown form of a message's JSON, of the type in `@type` or of `schema`; see {@link
 * showResource}. JSON of unknown types is not changed.
 */
export function showJson(json: JsonValue, options: ShowOptions = {}): JsonValue {
  if (Array.isArray(json)) return json.map((item) => showJson(item, options));
  if (!isObject(json)) return json;
  if (typeof json["@type"] === "string") return showAny(json, options);
  return mapValues(json, (value) => showJson(value, options));
}

/** The message of a type URL, for served and packed types. */
export function messageNamed(typeUrl: string): DescMessage | undefined {
  return SERVED_TYPES.getMessage(typeUrl.slice(TYPE_URL_PREFIX.length));
}

function unreadable(typeUrl: string, bytes: Uint8Array, why: string): JsonObject {
  return { "@type": typeUrl, unreadable: why, bytes: bytes.length, digest: hash(bytes) };
}

function show(schema: DescMessage, json: JsonValue, options: ShowOptions): JsonValue {
  if (schema.typeName === "google.protobuf.Duration") {
    return options.humanDurations && typeof json === "string" ? humanDuration(json) : json;
  }
  if (schema.typeName === "google.protobuf.Any") {
    return isObject(json) ? showAny(json, options) : json;
  }
  if (schema.typeName.startsWith("google.protobuf.") || !isObject(json)) return json;
  const fields = fieldsOf(schema);
  return mapValues(json, (value, name) => {
    const field = fields.get(name);
    return field === undefined ? value : showField(field, value, options);
  });
}

function showField(field: DescField, value: JsonValue, options: ShowOptions): JsonValue {
  if (isSensitive(field)) return blackOut(field, value);
  const { message } = field;
  if (message === undefined) return value;
  const inner = (one: JsonValue) => show(message, one, options);
  if (field.fieldKind === "list") return Array.isArray(value) ? value.map(inner) : value;
  if (field.fieldKind === "map") return isObject(value) ? mapValues(value, inner) : value;
  return inner(value);
}

/** Data sources are either the location of a secret, which is shown, or the secret itself. */
function blackOut(field: DescField, value: JsonValue): JsonValue {
  const source = field.message?.typeName === "envoy.config.core.v3.DataSource";
  if (!source || !isObject(value)) return REDACTED;
  return mapValues(
    value,
    (one, name) => name === "inlineBytes" || name === "inlineString" ? REDACTED : one,
  );
}

function showAny(json: JsonObject, options: ShowOptions): JsonValue {
  const { "@type": typeUrl, ...rest } = json;
  const schema = typeof typeUrl === "string" ? messageNamed(typeUrl) : undefined;
  if (schema === undefined) return mapValues(json, (value) => showJson(value, options));
  // Messages whose JSON form is not an object are in `value`.
  if (schema.typeName.startsWith("google.protobuf.") && "value" in rest) {
    return { "@type": typeUrl!, value: show(schema, rest.value!, options) };
  }
  return { "@type": typeUrl!, ...show(schema, rest, options) as JsonObject };
}

/** `90s` → `1m30s`; values finer than a millisecond are not changed. */
function humanDuration(canonical: string): string {
  const ms = Number(canonical.slice(0, -1)) * 1000;
  return Number.isInteger(ms) && ms >= 0 ? formatDuration(ms) : canonical;
}

function fieldsOf(schema: DescMessage): ReadonlyMap<string, DescField> {
  return new Map(schema.fields.map((field) => [field.jsonName, field]));
}

/** Reports if a value is an object with fields. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapValues(
  object: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)]),
  );
}
