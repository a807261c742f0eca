/**
 * Finds what a document sets and what does not act yet.
 *
 * @module
 */
import type { DescField, DescMessage } from "../proto/mod.ts";
import type { Path } from "../text/mod.ts";
import { ACTING, type Acting } from "./acting.ts";
import { type Report, warn } from "./problem.ts";
import { fieldNames } from "./field_names.ts";
import { isMap } from "./well_known.ts";

/** A table of paths as a tree. `true`: acts, with all below it. */
type Tree = true | { readonly [name: string]: Tree };

interface Compiled {
  readonly tree: Tree;
  readonly inertValues: ReadonlyMap<string, ReadonlySet<string>>;
}

const compiled = new Map<string, Compiled>(
  Object.entries(ACTING).map(([kind, acting]) => [kind, compile(acting)]),
);

function compile(acting: Acting): Compiled {
  const tree: Record<string, Tree> = {};
  for (const path of acting.paths) {
    const names = path.replaceAll("[]", "").split(".");
    const last = names.pop() ?? path;
    let at = tree;
    for (const name of names) at = (at[name] ??= {}) as Record<string, Tree>;
    at[last] = true;
  }
  const values = Object.entries(acting.inertValues ?? {});
  return {
    tree,
    inertValues: new Map(
      values.map(([path, inert]) => [path.replaceAll("[]", ""), new Set(inert)]),
    ),
  };
}

/** Warns of every field of a kind that is set and does not act; of a message that does not act, only of the message. */
export function warnInert(
  kind: string,
  schema: DescMessage,
  value: unknown,
  path: Path,
  report: Report,
): void {
  const known = compiled.get(kind);
  if (known !== undefined) walk(schema, value, path, "", known.tree, known, report);
}

function walk(
  schema: DescMessage,
  value: unknown,
  path: Path,
  name: string,
  tree: Tree,
  known: Compiled,
  report: Report,
): void {
  if (!isMap(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const field = fieldNames(schema).get(key);
    if (field === undefined || item === null) continue;
    const at = [...path, field.jsonName];
    const fieldPath = name === "" ? field.jsonName : `${name}.${field.jsonName}`;
    const branch = tree === true ? true : tree[field.jsonName];
    if (branch === undefined) {
      warnField(at, report);
      continue;
    }
    warnValue(item, at, known.inertValues.get(fieldPath), report);
    if (branch !== true || leadsToValue(known, fieldPath)) {
      descend(field, item, at, fieldPath, branch, known, report);
    }
  }
}

/** Whether some value below a path does not act, so that the way down is worth it. */
function leadsToValue(known: Compiled, path: string): boolean {
  for (const inert of known.inertValues.keys()) if (inert.startsWith(`${path}.`)) return true;
  return false;
}

function descend(
  field: DescField,
  value: unknown,
  path: Path,
  name: string,
  branch: Tree,
  known: Compiled,
  report: Report,
): void {
  const schema = field.message;
  if (schema === undefined || field.fieldKind === "map") return;
  if (field.fieldKind !== "list") return walk(schema, value, path, name, branch, known, report);
  if (!Array.isArray(value)) return;
  value.forEach((item, index) => walk(schema, item, [...path, index], name, branch, known, report));
}

function warnField(path: Path, report: Report): void {
  warn(
    report,
    path,
    "not-acting",
    `field "${String(path.at(-1))}" is read and does not act yet`,
    "Remove it, or expect no effect from it.",
  );
}

function warnValue(
  value: unknown,
  path: Path,
  inert: ReadonlySet<string> | undefined,
  report: Report,
): void {
  if (typeof value !== "string" || !inert?.has(value)) return;
  warn(
    report,
    path,
    "not-acting",
    `"${value}" of field "${String(path.at(-1))}" is read and does not act yet`,
    "Use another value, or expect no effect from it.",
    "value",
  );
}
