/** JSON of a dump; field names are in camel case. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

/** An object of a dump. */
export interface JsonMap {
  readonly [name: string]: Json | undefined;
}

/** The value as an object; an empty one for anything else, as broken dumps have it. */
export function asMap(value: Json | undefined): JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonMap
    : {};
}

/** The elements of a list that are objects. */
export function asMaps(value: Json | undefined): readonly JsonMap[] {
  return Array.isArray(value)
    ? value.filter((each) => typeof each === "object" && each !== null && !Array.isArray(each))
    : [];
}

/** The text of a scalar; empty for anything else. */
export function asText(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

/** The texts of a list. */
export function asTexts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(asText) : [];
}

/** The value at a path of field names. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, name) => asMap(inner)[name], value);
}

/** Fields whose values have names of their own, which are not field names of protobuf. */
const FREE = new Set([
  "filter_metadata",
  "filterMetadata",
  "json_format",
  "jsonFormat",
  "key_values",
  "keyValues",
  "labels",
]);
const STRUCT = "type.googleapis.com/google.protobuf.Struct";
/** Nesting of a dump that is taken; deeper values are dropped. */
const MAX_DEPTH = 200;

/** The value with field names in camel case, as protobuf's JSON has them. */
export function camelCased(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => camelCased(each, depth + 1));
  if (typeof value !== "object" || value === null) return scalar(value);
  const isStruct = (value as Record<string, unknown>)["@type"] === STRUCT;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => {
    if (isStruct) return [name, verbatim(inner, depth + 1)];
    const isFree = FREE.has(name);
    return [camel(name), isFree ? verbatim(inner, depth + 1) : camelCased(inner, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function verbatim(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => verbatim(each, depth + 1));
  if (typeof value !== "object" || value === null) return scalar(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, verbatim(inner, depth + 1)]),
  );
}

function scalar(value: unknown): Json {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

function camel(name: string): string {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name)) return name;
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
