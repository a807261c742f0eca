/**
 * Functions of templates for defaults, lists, maps, JSON and YAML.
 *
 * @module
 */
import { ValueFault } from "../value_fault.ts";
import { parseYaml, toYaml } from "../../text/mod.ts";
import type { TemplateFunction } from "../execute.ts";
import { fieldOf, isMap, isTrue, kindOf, plainOf, Structure, textOf } from "../values.ts";
import { numberOf } from "./numbers.ts";

type Table = Readonly<Record<string, TemplateFunction>>;
type Fields = Record<string, unknown>;

/** Most elements that `until` makes. */
const MAX_ELEMENTS = 10_000;

const DEFAULTS: Table = {
  default: (fallback, value) => isTrue(value) ? value : fallback,
  empty: (value) => !isTrue(value),
  coalesce: (...given) => given.find(isTrue),
  ternary: (yes, no, test) => isTrue(test) ? yes : no,
  fail: (message) => {
    throw new ValueFault(textOf(message));
  },
  required: (message, value) => {
    if (value === undefined || value === null || value === "") {
      throw new ValueFault(textOf(message));
    }
    return value;
  },
  kindOf: (value) => {
    if (value === undefined || value === null) return "invalid";
    if (Array.isArray(value)) return "slice";
    if (typeof value === "number") return Number.isInteger(value) ? "int" : "float64";
    return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "map";
  },
};

const LISTS: Table = {
  list: (...given) => given,
  append: (list, value) => [...listOf(list), value],
  prepend: (list, value) => [value, ...listOf(list)],
  concat: (...lists) => lists.flatMap(listOf),
  first: (list) => listOf(list)[0],
  last: (list) => listOf(list).at(-1),
  rest: (list) => listOf(list).slice(1),
  initial: (list) => listOf(list).slice(0, -1),
  reverse: (list) => listOf(list).toReversed(),
  uniq: (list) => [...new Set(listOf(list))],
  compact: (list) => listOf(list).filter(isTrue),
  has: (value, list) => listOf(list).includes(value),
  without: (list, ...values) => listOf(list).filter((one) => !values.includes(one)),
  sortAlpha: (list) => listOf(list).map(textOf).sort(),
  toStrings: (list) => listOf(list).map(textOf),
  until: (count) => {
    const length = Math.max(0, numberOf(count));
    if (length > MAX_ELEMENTS) throw new ValueFault("until makes too long a list");
    return Array.from({ length }, (_, i) => i);
  },
  slice: (value, from, to) => {
    if (typeof value !== "string" && !Array.isArray(value)) {
      throw new ValueFault(`${kindOf(value)} cannot be sliced`);
    }
    return value.slice(numberOf(from ?? 0), to === undefined ? undefined : numberOf(to));
  },
};

const MAPS: Table = {
  dict: (...given) => pairs(given),
  strdict: (...given) =>
    Object.fromEntries(Object.entries(pairs(given)).map(([name, one]) => [name, textOf(one)])),
  get: (map, key) => fieldOf(map, textOf(key)) ?? "",
  set: (map, key, value) => {
    const fields = mapOf(map);
    fields[textOf(key)] = value;
    return fields;
  },
  unset: (map, key) => {
    const fields = mapOf(map);
    delete fields[textOf(key)];
    return fields;
  },
  hasKey: (map, key) => Object.hasOwn(mapOf(map), textOf(key)),
  isset: (map, key) => {
    if (map === undefined || map === null) return false;
    if (Array.isArray(map)) return numberOf(key) < map.length;
    return Object.hasOwn(mapOf(map), textOf(key));
  },
  keys: (...maps) => maps.flatMap((map) => Object.keys(mapOf(map)).sort()),
  values: (map) => Object.values(mapOf(map)),
  pick: (map, ...keys) => picked(map, (key) => keys.includes(key)),
  omit: (map, ...keys) => picked(map, (key) => !keys.includes(key)),
  merge: (target, ...others) => merged([...others.toReversed(), target]),
  mergeOverwrite: (...maps) => merged(maps),
  mergeMaps: (...maps) => merged(maps),
  deepCopy: (value) => structuredClone(plainOf(value)),
};

const ENCODINGS: Table = {
  toJson: (value) => JSON.stringify(plainOf(value) ?? null),
  toJSON: (value) => JSON.stringify(plainOf(value) ?? null),
  toPrettyJson: (value) => JSON.stringify(plainOf(value) ?? null, null, 2),
  fromJson: (text) => fromJson(text),
  fromJSON: (text) => fromJson(text),
  toYaml: (value) =>
    isTrue(value) || isMap(value) ? toYaml(plainOf(value)).trimEnd() : yamlScalar(value),
  fromYaml: (text) => fromYaml(text),
  structToJSON: (value) => {
    const plain = plainOf(value);
    return isTrue(plain) ? JSON.stringify(plain) : "";
  },
  protoToJSON: (value) =>
    JSON.stringify((value instanceof Structure ? value.json : undefined) ?? plainOf(value) ?? {}),
  toJsonMap: (...maps) => JSON.stringify(sorted(merged(maps))),
};

/** All functions of this file. */
export const COLLECTION_FUNCTIONS: Table = { ...DEFAULTS, ...LISTS, ...MAPS, ...ENCODINGS };

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new ValueFault(`a list is needed here, not ${kindOf(value)}`);
}

function mapOf(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (value instanceof Structure) return value.value as Fields;
  if (isMap(value)) return value as Fields;
  throw new ValueFault(`a map is needed here, not ${kindOf(value)}`);
}

function pairs(given: readonly unknown[]): Fields {
  const fields: Fields = {};
  for (let i = 0; i < given.length; i += 2) fields[textOf(given[i])] = given[i + 1] ?? "";
  return fields;
}

function picked(map: unknown, keeps: (key: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(mapOf(map)).filter(([key]) => keeps(key)));
}

function merged(maps: readonly unknown[]): Fields {
  return Object.assign({}, ...maps.map(mapOf));
}

function sorted(map: Fields): Fields {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => a < b ? -1 : 1));
}

function yamlScalar(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

function fromJson(text: unknown): unknown {
  if (!isTrue(text)) return {};
  try {
    return JSON.parse(textOf(text));
  } catch {
    throw new ValueFault("the text is not JSON");
  }
}

function fromYaml(text: unknown): unknown {
  return parseYaml(textOf(text));
}
