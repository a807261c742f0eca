/**
 * Functions of charts for lists and maps.
 *
 * @module
 */
import {
  isMap,
  isTrue,
  type TemplateFunction,
  textOf,
  ValueFault,
} from "../../../kit/template/mod.ts";
import { copied } from "../values.ts";
import { type Fields, isEqual, isNothing, listOf, mapOf } from "./values.ts";

export const COLLECTIONS: Readonly<Record<string, TemplateFunction>> = {
  tuple: (...given) => given,
  dict: (...given) => {
    const fields: Fields = {};
    for (let at = 0; at < given.length; at += 2) {
      fields[textOf(given[at])] = at + 1 < given.length ? given[at + 1] : "";
    }
    return fields;
  },
  push: (list, value) => [...listOf(list), value],
  has: (value, list) => listOf(list).some((one) => isEqual(one, value)),
  without: (list, ...values) =>
    listOf(list).filter((one) => !values.some((value) => isEqual(one, value))),
  uniq: (list) => {
    const found: unknown[] = [];
    for (const one of listOf(list)) {
      if (!found.some((other) => isEqual(one, other))) found.push(one);
    }
    return found;
  },
  chunk: (size, list) => {
    const [length, all] = [Math.max(1, Number(size)), listOf(list)];
    return Array.from(
      { length: Math.ceil(all.length / length) },
      (_, at) => all.slice(at * length, (at + 1) * length),
    );
  },
  set: (map, key, value) => {
    const fields = changeable(map);
    fields[textOf(key)] = value;
    return fields;
  },
  unset: (map, key) => {
    const fields = changeable(map);
    delete fields[textOf(key)];
    return fields;
  },
  get: (map, key) => {
    const fields = mapOf(map);
    return Object.hasOwn(fields, textOf(key)) ? fields[textOf(key)] : "";
  },
  hasKey: (map, key) => Object.hasOwn(mapOf(map), textOf(key)),
  values: (...maps) => maps.flatMap((map) => Object.values(mapOf(map))),
  pluck: (key, ...maps) =>
    maps.map(mapOf).filter((map) => Object.hasOwn(map, textOf(key))).map((map) => map[textOf(key)]),
  dig: (...given) => {
    const path = given.slice(0, -2).map(textOf);
    let value: unknown = given.at(-1);
    for (const name of path) {
      const map = mapOf(value);
      if (!Object.hasOwn(map, name)) return given.at(-2);
      value = map[name];
    }
    return value;
  },
  merge: (target, ...others) => {
    const fields = changeable(target);
    for (const other of others) mergeInto(fields, mapOf(other), false);
    return fields;
  },
  mergeOverwrite: (target, ...others) => {
    const fields = changeable(target);
    for (const other of others) mergeInto(fields, mapOf(other), true);
    return fields;
  },
  deepCopy: copied,
};

function changeable(value: unknown): Fields {
  if (isMap(value)) return value as Fields;
  throw new ValueFault("a map is needed here, and it is not set or something else");
}

/**
 * Adds entries to a map and to the maps in it. Without overwriting, only what is missing or empty is
 * taken.
 */
function mergeInto(target: Fields, other: Readonly<Fields>, overwrites: boolean): void {
  for (const [name, value] of Object.entries(other)) {
    const before = Object.hasOwn(target, name) ? target[name] : undefined;
    if (isMap(before) && isMap(value)) mergeInto(before as Fields, value, overwrites);
    else if (overwrites || !isTrue(before) && !isNothing(value)) target[name] = copied(value);
  }
}
