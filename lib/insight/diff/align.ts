/**
 * Alignment of two lists: by the elements' names if they have any, else by position among unchanged
 * elements.
 *
 * @module
 */
import { canonicalJson } from "../../kit/base/mod.ts";
import type { JsonValue } from "../../kit/proto/mod.ts";
import { isObject } from "./shown.ts";

/** A pair of corresponding elements, or an added or removed one. */
export interface Pair {
  /** Name of the element in paths. */
  readonly label: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Fields that may name list elements; the first one that names all of them is used. */
const NAMES: readonly ((element: JsonValue) => string | undefined)[] = [
  (e) => field(e, "name"),
  (e) => field(e, "key"),
  (e) => field(inner(e, "header"), "key"),
  (e) => addressOf(inner(inner(e, "endpoint"), "address")),
  (e) => addressOf(inner(e, "address")),
  (e) => localityOf(e),
  (e) => domainsOf(e),
];

/**
 * Pairs the elements of two lists: in the order of the later list, then removed ones. `reordered`
 * if remaining named elements changed their order.
 */
export function align(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): { readonly pairs: readonly Pair[]; readonly reordered: boolean } {
  for (const name of NAMES) {
    const [old, now] = [keyed(before, name), keyed(after, name)];
    if (old !== undefined && now !== undefined) return byName(old, now);
  }
  return { pairs: byIndex(before, after), reordered: false };
}

type Keyed = ReadonlyMap<string, JsonValue>;

function keyed(
  list: readonly JsonValue[],
  name: (element: JsonValue) => string | undefined,
): Keyed | undefined {
  const found = new Map<string, JsonValue>();
  for (const element of list) {
    const key = name(element);
    if (key === undefined || found.has(key)) return undefined;
    found.set(key, element);
  }
  return found;
}

function byName(before: Keyed, after: Keyed): ReturnType<typeof align> {
  const pairs: Pair[] = [];
  for (const [label, element] of after) {
    pairs.push({ label, before: before.get(label), after: element });
  }
  for (const [label, element] of before) {
    if (!after.has(label)) pairs.push({ label, before: element, after: undefined });
  }
  const stayed = (one: Keyed, other: Keyed) => [...one.keys()].filter((key) => other.has(key));
  const [old, now] = [stayed(before, after), stayed(after, before)];
  return { pairs, reordered: old.some((key, i) => key !== now[i]) };
}

/** Longer lists are compared at their ends only. */
const SEARCHED = 300;

/**
 * Aligns elements without names: equal ones are anchors, elements between them are paired in order.
 */
function byIndex(before: readonly JsonValue[], after: readonly JsonValue[]): Pair[] {
  const [a, b] = [before.map(canonicalJson), after.map(canonicalJson)];
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...anchors(a, b), [a.length, b.length] as const]) {
    for (; i < nextI || j < nextJ; i++, j++) {
      const [old, now] = [i < nextI, j < nextJ];
      pairs.push({
        label: String(now ? j : i),
        before: old ? before[i] : undefined,
        after: now ? after[j] : undefined,
      });
      if (!old) i--;
      if (!now) j--;
    }
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return pairs;
}

/** Positions of equal elements in both lists, ascending: the longest common subsequence. */
function anchors(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  const room = Math.min(a.length, b.length) - start;
  while (end < room && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = common(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const at = (n: number, i: number, j: number) =>
    Array.from({ length: n }, (_, k) => [i + k, j + k] as const);
  return [
    ...at(start, 0, 0),
    ...middle.map(([i, j]) => [i + start, j + start] as const),
    ...at(end, a.length - end, b.length - end),
  ];
}

function common(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  if (a.length > SEARCHED || b.length > SEARCHED) return [];
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i] === b[j]
        ? best[(i + 1) * width + j + 1]! + 1
        : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  }
  const found: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) found.push([i++, j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return found;
}

function inner(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}

function field(value: JsonValue | undefined, name: string): string | undefined {
  const found = inner(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}

function addressOf(address: JsonValue | undefined): string | undefined {
  const socket = inner(address, "socketAddress");
  const host = field(socket, "address");
  if (host === undefined) return field(inner(address, "pipe"), "path");
  return `${host}:${inner(socket, "portValue") ?? inner(socket, "namedPort") ?? 0}`;
}

function localityOf(value: JsonValue): string | undefined {
  const locality = inner(value, "locality");
  if (!isObject(locality) || inner(value, "lbEndpoints") === undefined) return undefined;
  const group = ["region", "zone", "subZone"].map((part) => field(locality, part) ?? "").join("/");
  const priority = inner(value, "priority");
  return priority === undefined ? group : `${group} priority ${priority}`;
}

function domainsOf(value: JsonValue): string | undefined {
  const domains = inner(value, "domains");
  return Array.isArray(domains) ? domains.join(",") : undefined;
}
