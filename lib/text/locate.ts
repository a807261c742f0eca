/**
 * Finds the place of a path in a syntax tree.
 *
 * @module
 */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import type { Tree } from "./compose.ts";
import { isMergeKey } from "./plain.ts";

/** Names of keys and indexes of lists, from the document's root. */
export type Path = readonly (string | number)[];

/** 1-based line and column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Offset in the text of the deepest part of a path that the tree has. Names match in camelCase and snake_case. */
export function locate(tree: Tree, path: Path, target: "key" | "value"): number {
  let node = tree.contents as Node | null;
  let best = node?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    const last = depth === path.length - 1;
    const found = stepInto(tree, node, step);
    if (found === undefined) break;
    const key = found.key?.range?.[0];
    const value = found.value?.range?.[0];
    // An empty value has no place of its own worth showing.
    const empty = isScalar(found.value) && found.value.value === null;
    best = (last && target === "value" && !empty ? value : undefined) ?? key ?? value ?? best;
    node = found.value;
  }
  return best;
}

interface Found {
  readonly key?: Node;
  readonly value: Node | null;
}

function stepInto(tree: Tree, node: Node | null, step: string | number): Found | undefined {
  const at = isAlias(node) ? (node.resolve(tree) as Node | undefined) ?? null : node;
  if (isSeq(at) && typeof step === "number") {
    const item = at.items[step];
    return item === undefined ? undefined : { value: item as Node };
  }
  if (!isMap(at)) return undefined;
  const pairs = at.items as Pair<Node, Node | null>[];
  const name = String(step);
  const own = pairs.find((pair) => keyIs(pair.key, name)) ??
    pairs.find((pair) => keyIs(pair.key, name, camelCase));
  return own ?? mergedStep(tree, pairs, step);
}

function mergedStep(
  tree: Tree,
  pairs: Pair<Node, Node | null>[],
  step: string | number,
): Found | undefined {
  const merged = pairs.find((pair) => isMergeKey(pair.key))?.value ?? null;
  for (const source of isSeq(merged) ? merged.items as Node[] : [merged]) {
    const found = source === null ? undefined : stepInto(tree, source, step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyIs(key: Node, name: string, form: (key: string) => string = (key) => key): boolean {
  if (!isScalar(key)) return false;
  return form(key.type === "PLAIN" ? key.source ?? "" : String(key.value)) === name;
}

/** `snake_case` to `camelCase`, as protobuf JSON names fields. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
