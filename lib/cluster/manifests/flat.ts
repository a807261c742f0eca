/**
 * Values of documents by path.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { nearest } from "../../kit/text/mod.ts";

/** A map of plain values. */
export type Tree = Readonly<Record<string, unknown>>;

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Scalars and empty collections with their paths, in the form of `--set`. */
export function flatValues(value: unknown, path = ""): (readonly [path: string, value: unknown])[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((one, at) => flatValues(one, `${path}[${at}]`));
  }
  if (!isTree(value) || Object.keys(value).length === 0) return [[path, value]];
  return Object.entries(value).flatMap(([name, one]) => {
    const step = name.replace(/[.\\[=]/g, (char) => `\\${char}`);
    return flatValues(one, path === "" ? step : `${path}.${step}`);
  });
}

/**
 * The value at a path such as `spec.components.pilot`; the prefix `spec.` may be left out.
 *
 * @throws MeshError `config-path` for a path that leads nowhere
 */
export function valueAtText(root: Tree, path: string): unknown {
  const steps = [...path.matchAll(/\[(\d+)\]|((?:\\.|[^.[\\])+)/g)]
    .map(([, index, key]) => index ?? key!.replace(/\\(.)/g, "$1"));
  const below = steps[0] !== undefined && Object.hasOwn(root, steps[0])
    ? steps
    : ["spec", ...steps];
  let at: unknown = root;
  for (const step of below) {
    const next = Array.isArray(at) ? at[Number(step)] : isTree(at) ? at[step] : undefined;
    if (next === undefined) throw nothingAt(path, step, at);
    at = next;
  }
  return at;
}

function nothingAt(path: string, step: string, at: unknown): MeshError {
  const names = isTree(at) ? Object.keys(at).sort() : [];
  const near = nearest(step, names);
  return new MeshError("config-path", `there is nothing at ${path}: no ${JSON.stringify(step)}`, {
    remedy: near !== undefined
      ? `Did you mean "${near}"?`
      : names.length > 0
      ? `The names there are ${names.join(", ")}.`
      : "Shorten the path.",
  });
}
