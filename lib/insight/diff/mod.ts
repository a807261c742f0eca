/**
 * Readable differences between two resources of a type, field by field.
 *
 * @module
 */
import { canonicalJson } from "../../kit/base/mod.ts";
import type { JsonValue } from "../../kit/proto/mod.ts";
import { align } from "./align.ts";
import { isObject, messageNamed, showResource } from "./shown.ts";
import { thin } from "./thin.ts";

export { REDACTED, showJson, type ShowOptions, showResource } from "./shown.ts";

/** One difference. */
export interface FieldChange {
  /**
   * The path, for example `virtualHosts[shop.test:80].routes[0].route.timeout`: list elements by
   * name, else by index in the later list; `""` for a whole resource that was added or removed. `
   * (order)` ends the path of a list whose order changed.
   */
  readonly path: string;
  /** `undefined`: absent. Durations are written as `1m30s`, secrets as `[redacted]`. */
  readonly before: JsonValue | undefined;
  /** `undefined`: removed. */
  readonly after: JsonValue | undefined;
}

/**
 * Differences of two encoded resources, `undefined` for a missing one. Changed secrets show no
 * difference, so bytes may differ without differences.
 */
export function diffResource(
  typeUrl: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): FieldChange[] {
  const schema = messageNamed(typeUrl);
  const [old, now] = schema === undefined || before === undefined || after === undefined
    ? [before, after]
    : thin(schema, before, after);
  const shown = (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : showResource(typeUrl, bytes, { humanDurations: true });
  return diffJson(shown(old), shown(now));
}

/**
 * Differences of two JSON values; see {@link diffResource}.
 *
 * @example
 * ```ts
 * import { diffJson } from "./mod.ts";
 *
 * const [change] = diffJson({ timeout: "1s" }, { timeout: "2s" });
 * console.log(change?.path, change?.before, change?.after); // timeout 1s 2s
 * ```
 */
export function diffJson(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): FieldChange[] {
  const changes: FieldChange[] = [];
  compare("", before, after, changes);
  return changes;
}

function compare(
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  into: FieldChange[],
): void {
  if (before === after) return;
  if (isObject(before) && isObject(after) && before["@type"] === after["@type"]) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(step(path, name), before[name], after[name], into);
    }
  } else if (Array.isArray(before) && Array.isArray(after) && !isPlain(before, after)) {
    const { pairs, reordered } = align(before, after);
    for (const pair of pairs) compare(`${path}[${pair.label}]`, pair.before, pair.after, into);
    if (reordered) {
      const order = (side: "before" | "after", list: readonly JsonValue[]) =>
        list.map((element) => pairs.find((pair) => pair[side] === element)!.label);
      into.push({
        path: `${path} (order)`,
        before: order("before", before),
        after: order("after", after),
      });
    }
  } else if (before === undefined || after === undefined || !same(before, after)) {
    into.push({ path, before, after });
  }
}

function same(before: JsonValue, after: JsonValue): boolean {
  return canonicalJson(before) === canonicalJson(after);
}

/** Reports if lists have no objects; such lists are shown as a whole. */
function isPlain(...lists: readonly (readonly JsonValue[])[]): boolean {
  return lists.every((list) => list.every((one) => typeof one !== "object" || one === null));
}

function step(path: string, name: string): string {
  if (!/^[\w@-]+$/.test(name)) return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** Maximum length of a value in a line; the rest is counted. */
const SHOWN = 240;

/** Differences as text, one on each line: `~ path: old → new`, `+ path: new`, `- path: old`. */
export function renderChanges(changes: readonly FieldChange[], indent = ""): string {
  return changes.map(({ path, before, after }) => {
    const where = path === "" ? "" : `${path}: `;
    if (before === undefined) return `${indent}+ ${where}${written(after)}\n`;
    if (after === undefined) return `${indent}- ${where}${written(before)}\n`;
    return `${indent}~ ${where}${written(before)} → ${written(after)}\n`;
  }).join("");
}

function written(value: JsonValue | undefined): string {
  const text = typeof value === "string" && /^[!-~]+$/.test(value) ? value : JSON.stringify(value);
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}
