/**
 * Functions of charts for comparison, types and numbers.
 *
 * @module
 */
import {
  isMap,
  isTrue,
  kindOf,
  plainOf,
  STANDARD_FUNCTIONS,
  type TemplateFunction,
  textOf,
  ValueFault,
} from "../../../kit/template/mod.ts";
import { isEqual, isNothing } from "./values.ts";

/** Most elements of a list of numbers. */
const MAX_ELEMENTS = 10_000;

const number = (value: unknown): number => STANDARD_FUNCTIONS.get("float64")!(value) as number;
const integer = (value: unknown): number => Math.trunc(number(value));

export const LOGIC: Readonly<Record<string, TemplateFunction>> = {
  eq: (first, ...others) => {
    if (others.length === 0) throw new ValueFault("eq needs two values");
    return others.some((other) => areEqual(first, other));
  },
  ne: (a, b) => !areEqual(a, b),
  deepEqual: (a, b) => isEqual(plainOf(a), plainOf(b)),
  all: (...given) => given.every(isTrue),
  any: (...given) => given.some(isTrue),
  index: (value, ...keys) => {
    if (isNothing(value)) throw new ValueFault("index needs a list or a map, and it is not set");
    return STANDARD_FUNCTIONS.get("index")!(value, ...keys);
  },
  required: (message, value) => {
    if (isNothing(value) || value === "") throw new ValueFault(textOf(message));
    return value;
  },
  kindOf: goKind,
  kindIs: (kind, value) => textOf(kind) === goKind(value),
  typeOf: goType,
  typeIs: (type, value) => textOf(type) === goType(value),
  typeIsLike: (type, value) => [goType(value), `*${goType(value)}`].includes(textOf(type)),
  biggest: (...given) => Math.max(...given.map(integer)),
  addf: (...given) => given.map(number).reduce((a, b) => a + b, 0),
  add1f: (value) => number(value) + 1,
  subf: (first, ...others) => others.map(number).reduce((a, b) => a - b, number(first)),
  mulf: (first, ...others) => others.map(number).reduce((a, b) => a * b, number(first)),
  divf: (first, ...others) => others.map(number).reduce((a, b) => a / b, number(first)),
  maxf: (...given) => Math.max(...given.map(number)),
  minf: (...given) => Math.min(...given.map(number)),
  round: (value, digits, threshold = 0.5) => {
    const factor = 10 ** integer(digits);
    const scaled = number(value) * factor;
    const rest = scaled - Math.floor(scaled);
    return (rest >= number(threshold) ? Math.ceil(scaled) : Math.floor(scaled)) / factor;
  },
  toDecimal: (value) => parseInt(textOf(value), 8) || 0,
  untilStep: (start, stop, step) => {
    const [first, last, by] = [integer(start), integer(stop), integer(step)];
    if (by === 0 || (last - first) * by <= 0) return [];
    return numbers(Math.ceil((last - first) / by), first, by);
  },
  seq: (...given) => {
    const [a = 1, b, c] = given.map(integer);
    const [first, last] = given.length < 2 ? [1, a] : [a, (c ?? b)!];
    const by = given.length === 3 ? b! : last < first ? -1 : 1;
    if (given.length === 0 || by === 0 || (last - first) * by < 0) return "";
    return numbers(Math.floor((last - first) / by) + 1, first, by).join(" ");
  },
};

function numbers(length: number, first: number, by: number): number[] {
  if (length > MAX_ELEMENTS) throw new ValueFault("the list of numbers is too long");
  return Array.from({ length }, (_, at) => first + at * by);
}

/** As Go compares: only scalars of one kind, and nothing only with nothing. */
function areEqual(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (typeof a === "object" || typeof b === "object" || typeof a !== typeof b) {
    throw new ValueFault(
      `${shown(a)} and ${shown(b)} cannot be compared; give both the same type`,
    );
  }
  return a === b;
}

function shown(value: unknown): string {
  return typeof value === "object" ? kindOf(value) : `${kindOf(value)} ${JSON.stringify(value)}`;
}

function goKind(value: unknown): string {
  if (isNothing(value)) return "invalid";
  if (Array.isArray(value)) return "slice";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "map";
}

function goType(value: unknown): string {
  if (isNothing(value)) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  return isMap(value) ? "map[string]interface {}" : goKind(value);
}
