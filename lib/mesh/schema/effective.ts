/**
 * Warnings about fields and values of a document that have no effect.
 *
 * @module
 */
import { STEP_ITEMS } from "../../kit/base/mod.ts";
import type { DescField, DescMessage } from "../../kit/proto/mod.ts";
import type { Path } from "../../kit/text/mod.ts";
import type { EffectiveFields } from "./kind.ts";
import type { Report } from "./problem.ts";
import { fieldNamed, isMap } from "./read/mod.ts";

/** Effective paths as a tree; `true`: the field is effective, with all fields below it. */
type Tree = true | { readonly [name: string]: Tree };

/**
 * Warns about fields and values that have no effect; made from a table of effective fields. There are
 * steps between the items of lists.
 */
export type WarnIneffective = (
  value: unknown,
  path: Path,
  report: Report,
) => Generator<void, void>;

/**
 * Creates the check for a message. The returned function takes the message as the document has it,
 * and its path. A message without effect gives one warning, not one for each of its fields.
 */
export function ineffectiveCheck(schema: DescMessage, fields: EffectiveFields): WarnIneffective {
  const tree = treeOf(fields.paths);
  const values = new Map(
    Object.entries(fields.ineffectiveValues ?? {}).map(([path, list]) => [
      path.replaceAll("[]", ""),
      new Set(list),
    ]),
  );
  const hasValueBelow = (name: string): boolean =>
    [...values.keys()].some((path) => path.startsWith(`${name}.`));

  return function* (value, path, report) {
    const walk = function* (
      message: Message,
      value: unknown,
      path: Path,
    ): Generator<void, void> {
      if (!isMap(value)) return;
      for (const [key, item] of Object.entries(value)) {
        const field = fieldNamed(message.schema, key);
        if (field === undefined || item === null) continue;
        const at = [...path, field.jsonName];
        const name = message.name === "" ? field.jsonName : `${message.name}.${field.jsonName}`;
        const branch = message.tree === true ? true : message.tree[field.jsonName];
        if (branch === undefined) warnField(at, report);
        else {
          if (typeof item === "string" && values.get(name)?.has(item)) warnValue(item, at, report);
          if (branch !== true || hasValueBelow(name)) {
            yield* below(field, { name, tree: branch }, item, at);
          }
        }
      }
    };
    const below = function* (
      field: DescField,
      at: Omit<Message, "schema">,
      value: unknown,
      path: Path,
    ): Generator<void, void> {
      const schema = field.message;
      if (schema === undefined || field.fieldKind === "map") return;
      const message = { schema, ...at };
      if (field.fieldKind !== "list") yield* walk(message, value, path);
      else if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) {
          if (index > 0 && index % STEP_ITEMS === 0) yield;
          yield* walk(message, item, [...path, index]);
        }
      }
    };
    yield* walk({ schema, name: "", tree }, value, path);
  };
}

/** A message that is being checked. */
interface Message {
  readonly schema: DescMessage;
  /** Path of field names from the root, without indexes; empty for the root. */
  readonly name: string;
  readonly tree: Tree;
}

function treeOf(paths: readonly string[]): Tree {
  const tree: Record<string, Tree> = {};
  for (const path of paths) {
    const names = path.replaceAll("[]", "").split(".");
    const last = names.pop() ?? path;
    let at = tree;
    for (const name of names) at = (at[name] ??= {}) as Record<string, Tree>;
    at[last] = true;
  }
  return tree;
}

function warnField(path: Path, report: Report): void {
  const message = `field "${String(path.at(-1))}" is not implemented and has no effect`;
  report.warn(path, "no-effect", message, "Remove it, or expect no effect from it.");
}

function warnValue(value: string, path: Path, report: Report): void {
  const message = `value "${value}" of field "${
    String(path.at(-1))
  }" is not implemented and has no effect`;
  report.warnValue(path, "no-effect", message, "Use another value, or expect no effect from it.");
}
