/**
 * The difference of an object before and after a change, as lines. Pure.
 *
 * @module
 */
import { canonicalJson, printable } from "../../kit/base/mod.ts";
import type { OrchObject } from "../../kit/orch/mod.ts";

/** A value before and after. */
export interface FieldChange {
  readonly path: string;
  /** Absent: the field is new. */
  readonly before?: unknown;
  /** Absent: the field goes away. */
  readonly after?: unknown;
}

/** Longest value in a line. */
const LONGEST = 160;

/** The content of an object: without what the server writes about each change. */
export function contentOf(object: OrchObject): Record<string, unknown> {
  const { metadata, status: _, ...rest } = object as OrchObject & { readonly status?: unknown };
  const { managedFields: __, resourceVersion: ___, generation: ____, uid: _____, ...meta } =
    metadata;
  const { creationTimestamp: ______, ...kept } = meta;
  return { ...rest, metadata: kept };
}

/** The fields that differ. */
export function changesBetween(before: unknown, after: unknown, path = ""): FieldChange[] {
  if (isRecord(before) && isRecord(after)) {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return fields.flatMap((field) =>
      changesBetween(before[field], after[field], path + segment(field))
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(before, after, path);
  if (canonical(before) === canonical(after)) return [];
  return [{
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }];
}

/** Lists of named items are compared by name, others by place. */
function listChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): FieldChange[] {
  const named = [before, after].map(namedItems);
  const [old, next] = named;
  if (old !== undefined && next !== undefined) {
    return [...new Set([...old.keys(), ...next.keys()])].flatMap((name) =>
      changesBetween(old.get(name), next.get(name), `${path}[${name}]`)
    );
  }
  return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, at) =>
    changesBetween(before[at], after[at], `${path}[${at}]`)
  );
}

function namedItems(items: readonly unknown[]): Map<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    if (!isRecord(item) || typeof item.name !== "string") return undefined;
    found.set(item.name, item);
  }
  return found.size === items.length && items.length > 0 ? found : undefined;
}

/** One line for each changed field. Values of secrets are not shown. */
export function changeLines(changes: readonly FieldChange[], isSecret: boolean): string[] {
  const text = (value: unknown): string => {
    if (isSecret) return "(not shown)";
    const full = JSON.stringify(value);
    return printable(full.length > LONGEST ? `${full.slice(0, LONGEST)}… (${full.length})` : full);
  };
  return changes.map((change) => {
    const { path } = change;
    if (!("before" in change)) return `+ ${path}: ${text(change.after)}`;
    if (!("after" in change)) return `- ${path}: ${text(change.before)}`;
    return `~ ${path}: ${text(change.before)} -> ${text(change.after)}`;
  });
}

function segment(field: string): string {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(field) ? `.${field}` : `[${JSON.stringify(field)}]`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function canonical(value: unknown): string {
  return value === undefined ? "" : canonicalJson(value);
}
