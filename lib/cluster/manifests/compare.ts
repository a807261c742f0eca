/**
 * Differences of plain values, field by field, and of sets of objects.
 *
 * @module
 */
import { canonicalJson } from "../../kit/base/mod.ts";
import type { OrchObject } from "../../kit/orch/mod.ts";
import { isTree, type Tree } from "./flat.ts";

/** One difference of two values. */
export interface FieldDifference {
  /** For example `spec.template.spec.containers[discovery].image`; empty for the values as a whole. */
  readonly path: string;
  /** `undefined`: absent. */
  readonly before: unknown;
  /** `undefined`: absent. */
  readonly after: unknown;
}

/** Differences of two plain values. Elements of lists are paired by name where all have one. */
export function fieldDifferences(before: unknown, after: unknown, path = ""): FieldDifference[] {
  if (before === after) return [];
  const isInside = (value: unknown) =>
    value === undefined || isTree(value) && Object.keys(value).length > 0;
  if (isTree(before) && isTree(after) || isInside(before) && isInside(after)) {
    const [old, now] = [before ?? {}, after ?? {}] as [Tree, Tree];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) =>
      fieldDifferences(old[name], now[name], step(path, name))
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, path);
  if (
    before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)
  ) {
    return [];
  }
  return [{ path, before, after }];
}

function step(path: string, name: string): string {
  const written = /^[\w-]+$/.test(name) ? name : `[${JSON.stringify(name)}]`;
  return path === "" || written.startsWith("[") ? path + written : `${path}.${written}`;
}

function listDifferences(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): FieldDifference[] {
  const [old, now] = [named(before), named(after)];
  if (old === undefined || now === undefined) {
    const length = Math.max(before.length, after.length);
    if (![...before, ...after].some(isTree)) {
      return canonicalJson(before) === canonicalJson(after) ? [] : [{ path, before, after }];
    }
    return Array.from(
      { length },
      (_, at) => fieldDifferences(before[at], after[at], `${path}[${at}]`),
    ).flat();
  }
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    fieldDifferences(old.get(name), now.get(name), `${path}[${name}]`)
  );
}

/** Elements by name; `undefined` if one has none, or two have the same. */
function named(list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const byName = new Map<string, unknown>();
  for (const one of list) {
    const name = isTree(one)
      ? one.name ?? one.mountPath ?? one.port ?? one.containerPort
      : undefined;
    if (typeof name !== "string" && typeof name !== "number" || byName.has(String(name))) {
      return undefined;
    }
    byName.set(String(name), one);
  }
  return byName.size === 0 ? undefined : byName;
}

/** Longest value that a line shows; the rest is counted. */
const SHOWN = 200;

/**
 * Differences as lines: `~ path: before → after`, `+ path: after`, `- path: before`. Values of secrets
 * are not shown.
 */
export function differenceLines(
  differences: readonly FieldDifference[],
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): string[] {
  const shown = (value: unknown): string => isSecret ? HIDDEN : written(value);
  return differences.map(({ path, before, after }) => {
    const where = path === "" ? "" : `${path}: `;
    if (before === undefined) return `+ ${where}${shown(after)}`;
    if (after === undefined) return `- ${where}${shown(before)}`;
    return `~ ${where}${shown(before)} → ${shown(after)}`;
  });
}

/** Stands for the value of a secret. */
const HIDDEN = "(not shown)";

/** An object for users: the values of a Secret are not shown. */
export function withoutSecrets({ kind, object }: NamedObject): Tree {
  if (kind !== "Secret") return object;
  const hidden = (field: unknown) =>
    isTree(field) ? Object.fromEntries(Object.keys(field).map((key) => [key, HIDDEN])) : HIDDEN;
  const fields = ["data", "stringData"].filter((name) => object[name] !== undefined);
  return { ...object, ...Object.fromEntries(fields.map((name) => [name, hidden(object[name])])) };
}

function written(value: unknown): string {
  const text = typeof value === "string" && /^[!-~]+$/.test(value) ? value : JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

/** An object of a manifest by what identifies it. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: OrchObject & Tree;
}

/** Kind, namespace and name as text: `Deployment:mesh-system:meshd`. */
export function identityOf({ kind, namespace, name }: Omit<NamedObject, "object">): string {
  return [kind, namespace, name].join(":");
}
