/**
 * Finds the position of a path in a syntax tree.
 *
 * @module
 */
import type { Node, Pair } from "./compose.ts";
import { isMergeKey } from "./plain.ts";

/** Names of keys and indexes of lists, from the document's root. */
export type Path = readonly (string | number)[];

/** 1-based line and column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Offset of the deepest part of a path that the tree has. Names match in camelCase and snake_case.
 */
export function locate(tree: Node | undefined, path: Path, target: "key" | "value"): number {
  if (tree === undefined) return 0;
  let node = tree;
  let best = tree.offset;
  for (const [depth, step] of path.entries()) {
    const found = stepInto(tree, node, step);
    if (found === undefined) break;
    const last = depth === path.length - 1;
    const { key, value } = found;
    // An empty value has no useful position of its own.
    const empty = value.kind === "scalar" && value.plain && value.text === "";
    best = (last && target === "value" && !empty) || key === undefined ? value.offset : key.offset;
    node = value;
  }
  return best;
}

interface Found {
  readonly key?: Node;
  readonly value: Node;
}

function stepInto(tree: Node, node: Node, step: string | number): Found | undefined {
  const at = node.kind === "alias" ? anchored(tree, node.name) : node;
  if (at?.kind === "seq" && typeof step === "number") {
    const item = at.items[step];
    return item === undefined ? undefined : { value: item };
  }
  if (at?.kind !== "map") return undefined;
  const name = String(step);
  const own = at.pairs.find(({ key }) => keyIs(key, name)) ??
    at.pairs.find(({ key }) => keyIs(key, name, camelCase));
  return own ?? mergedStep(tree, at.pairs, step);
}

/** The node of an alias; the first of several with one name is sufficient for a position. */
function anchored(tree: Node, name: string): Node | undefined {
  if (tree.anchor === name) return tree;
  if (tree.kind === "map") {
    for (const { value } of tree.pairs) {
      const found = anchored(value, name);
      if (found !== undefined) return found;
    }
  } else if (tree.kind === "seq") {
    for (const item of tree.items) {
      const found = anchored(item, name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function mergedStep(
  tree: Node,
  pairs: readonly Pair[],
  step: string | number,
): Found | undefined {
  const merged = pairs.find(({ key }) => isMergeKey(key))?.value;
  if (merged === undefined) return undefined;
  for (const source of merged.kind === "seq" ? merged.items : [merged]) {
    const found = stepInto(tree, source, step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyIs(key: Node, name: string, form: (key: string) => string = (key) => key): boolean {
  return key.kind === "scalar" && form(key.text) === name;
}

/** `snake_case` to `camelCase`, as protobuf JSON names fields. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
