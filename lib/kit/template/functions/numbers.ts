/**
 * Functions of templates for comparison, logic and numbers.
 *
 * @module
 */
import { ValueFault } from "../value_fault.ts";
import { isMap, isTrue, kindOf, plainOf, Structure } from "../values.ts";
import type { TemplateFunction } from "../execute.ts";

type Table = Readonly<Record<string, TemplateFunction>>;

/** `eq`, `lt`, `not`, `len`, `index` and the arithmetic functions. */
export const NUMBER_FUNCTIONS: Table = {
  // `and` and `or` without operands, as the last command of a pipe.
  and: (...given) => given.find((one) => !isTrue(one)) ?? given.at(-1),
  or: (...given) => given.find(isTrue) ?? given.at(-1),
  not: (value) => !isTrue(value),
  eq: (first, ...others) => {
    if (others.length === 0) throw new ValueFault("eq needs two values");
    return others.some((other) => areEqual(first, other));
  },
  ne: (a, b) => !areEqual(a, b),
  lt: (a, b) => order(a, b) < 0,
  le: (a, b) => order(a, b) <= 0,
  gt: (a, b) => order(a, b) > 0,
  ge: (a, b) => order(a, b) >= 0,
  len: (value) => lengthOf(value),
  index: (value, ...keys) => keys.reduce(entryOf, value),
  int: (value) => Math.trunc(numberOf(value)),
  int64: (value) => Math.trunc(numberOf(value)),
  atoi: (value) => Math.trunc(numberOf(value)),
  float64: (value) => numberOf(value),
  add: (...given) => given.map(integerOf).reduce((a, b) => a + b, 0),
  add1: (value) => integerOf(value) + 1,
  sub: (a, b) => integerOf(a) - integerOf(b),
  mul: (...given) => given.map(integerOf).reduce((a, b) => a * b, 1),
  div: (a, b) => Math.trunc(integerOf(a) / nonZero(b)),
  mod: (a, b) => integerOf(a) % nonZero(b),
  max: (...given) => Math.max(...given.map(integerOf)),
  min: (...given) => Math.min(...given.map(integerOf)),
  ceil: (value) => Math.ceil(numberOf(value)),
  floor: (value) => Math.floor(numberOf(value)),
};

/** Missing values equal the empty values of every type. */
function areEqual(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) return !isTrue(a) && !isTrue(b);
  if (typeof a !== typeof b) {
    // Annotations are texts where values are numbers or booleans.
    if (isScalar(a) && isScalar(b)) return String(a) === String(b);
    throw new ValueFault(`${kindOf(a)} and ${kindOf(b)} cannot be compared`);
  }
  if (isScalar(a)) return a === b;
  return JSON.stringify(plainOf(a)) === JSON.stringify(plainOf(b));
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function order(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return numberOf(a) - numberOf(b);
}

function lengthOf(value: unknown): number {
  if (isNothing(value)) return 0;
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (value instanceof Structure) return Object.keys(value.value).length;
  if (isMap(value)) return Object.keys(value).length;
  throw new ValueFault(`${kindOf(value)} has no length`);
}

function entryOf(value: unknown, key: unknown): unknown {
  if (isNothing(value)) return undefined;
  if (Array.isArray(value)) {
    if (typeof key === "number" && key >= 0 && key < value.length) return value[key];
    throw new ValueFault(`the list of ${value.length} has no element ${key}`);
  }
  if (value instanceof Structure) return value.field(String(key));
  if (isMap(value)) return Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
  throw new ValueFault(`${kindOf(value)} has no elements`);
}

/** The number in a value; a text that is none gives 0. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : 0;
  return Number.isNaN(number) ? 0 : number;
}

function integerOf(value: unknown): number {
  return Math.trunc(numberOf(value));
}

function nonZero(value: unknown): number {
  const number = integerOf(value);
  if (number === 0) throw new ValueFault("division by 0");
  return number;
}
