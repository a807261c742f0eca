/**
 * Syntax tree to plain values, with the checks that need the tree: duplicate
 * and unsafe keys, merges, aliases within bounds, nesting.
 *
 * @module
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import type { Tree } from "./compose.ts";
import type { YamlLimits } from "./limits.ts";

/** Why a document is refused, with the offset in its text. */
export class YamlFault extends Error {
  override readonly name = "YamlFault";
  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
    readonly offset: number,
    /** Offset of what it collides with. */
    readonly related?: number,
  ) {
    super(message);
  }
}

/** Key of merges (`<<: *base`). */
export const MERGE_KEY = "<<";

interface Anchored {
  readonly value: unknown;
  readonly nodes: number;
  readonly length: number;
}

interface Walk {
  readonly limits: YamlLimits;
  /** What each anchor stands for; `null` while the anchored node itself is being read. */
  readonly anchors: Map<string, Anchored | null>;
  nodes: number;
  length: number;
  aliasNodes: number;
  aliasLength: number;
}

/** The value of a tree. @throws {YamlFault} for the first thing wrong with it. */
export function toPlain(tree: Tree, text: string, limits: YamlLimits): unknown {
  // deno-lint-ignore no-control-regex
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.exec(text);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).padStart(4, "0");
    throw new YamlFault(
      "yaml-control-character",
      `control character U+${code}`,
      "Remove it, or write it as an escape in double quotes.",
      control.index,
    );
  }
  refuseErrors(tree, limits);
  const walk = {
    limits,
    anchors: new Map<string, Anchored | null>(),
    nodes: 0,
    length: 0,
    aliasNodes: 0,
    aliasLength: 0,
  };
  return plainNode(tree.contents as Node | null, walk, 0);
}

function refuseErrors(tree: Tree, limits: YamlLimits): void {
  const error = tree.errors[0] ?? tree.warnings[0];
  if (error === undefined) return;
  if (error.code === "RESOURCE_EXHAUSTION") throw tooDeep(limits, error.pos[0]);
  if (error.code === "TAG_RESOLVE_FAILED") {
    throw new YamlFault("yaml-tag", error.message, "Remove the tag.", error.pos[0]);
  }
  throw new YamlFault(
    "yaml-syntax",
    error.message,
    "Correct the YAML; indentation and quotes are the usual causes.",
    error.pos[0],
  );
}

function tooDeep(limits: YamlLimits, offset: number): YamlFault {
  return new YamlFault(
    "yaml-too-deep",
    `collections are nested more than ${limits.depth} deep`,
    "No kind nests so deep; look for repeated brackets or indentation.",
    offset,
  );
}

function plainNode(node: Node | null | undefined, walk: Walk, depth: number): unknown {
  if (node === null || node === undefined) return null;
  if (depth > walk.limits.depth) throw tooDeep(walk.limits, offsetOf(node));
  if (isAlias(node)) return plainAlias(node.source, offsetOf(node), walk);
  const anchor = (node as { anchor?: string }).anchor;
  if (anchor === undefined) return plainContent(node, walk, depth);
  const before = { nodes: walk.nodes, length: walk.length };
  walk.anchors.set(anchor, null);
  const value = plainContent(node, walk, depth);
  walk.anchors.set(anchor, {
    value,
    nodes: walk.nodes - before.nodes,
    length: walk.length - before.length,
  });
  return value;
}

/** What an alias stands for is shared, and counted as if it were written out. */
function plainAlias(name: string, offset: number, walk: Walk): unknown {
  const anchored = walk.anchors.get(name);
  if (anchored === undefined || anchored === null) {
    const message = anchored === null
      ? `alias *${name} contains itself`
      : `no anchor &${name} above`;
    throw new YamlFault("yaml-alias", message, "Write the value out.", offset);
  }
  walk.nodes += anchored.nodes;
  walk.length += anchored.length;
  walk.aliasNodes += anchored.nodes;
  walk.aliasLength += anchored.length;
  const { aliasNodes, aliasLength } = walk.limits;
  if (walk.aliasNodes > aliasNodes || walk.aliasLength > aliasLength) {
    throw new YamlFault(
      "yaml-alias-limit",
      `aliases stand for more than ${aliasNodes} nodes or ${aliasLength} characters`,
      "Write the values out, or use fewer aliases.",
      offset,
    );
  }
  return anchored.value;
}

function plainContent(node: Node, walk: Walk, depth: number): unknown {
  walk.nodes++;
  if (isMap(node)) return plainMap(node, walk, depth);
  if (isSeq(node)) return node.items.map((item) => plainNode(item as Node, walk, depth + 1));
  if (!isScalar(node)) return null;
  const value = plainScalar(node);
  if (typeof value === "string") walk.length += value.length;
  return value;
}

/** Integers beyond 2^53 keep their digits as bigint; the library takes a lone dot for a number. */
function plainScalar(node: Scalar): unknown {
  const { value, source } = node;
  if (typeof value !== "number" || source === undefined || Number.isSafeInteger(value)) {
    return value === undefined ? null : value;
  }
  if (Number.isNaN(value) && !/nan$/i.test(source)) return source;
  return /^[-+]?\d+$/.test(source) ? BigInt(source.replace("+", "")) : value;
}

function plainMap(map: YAMLMap, walk: Walk, depth: number): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  const seen = new Map<string, number>();
  for (const pair of map.items as Pair<Node, Node | null>[]) {
    if (isMergeKey(pair.key)) continue;
    const { name, offset } = keyName(pair.key);
    const first = seen.get(name);
    if (first !== undefined) {
      throw new YamlFault(
        "yaml-duplicate-key",
        `key "${name}" occurs twice in one map`,
        "Keep one of the two.",
        offset,
        first,
      );
    }
    seen.set(name, offset);
    out[name] = plainNode(pair.value, walk, depth + 1);
  }
  for (const pair of map.items as Pair<Node, Node | null>[]) {
    if (isMergeKey(pair.key)) merge(out, pair, walk, depth);
  }
  return out;
}

/** Whether a key is the plain `<<`. */
export function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && key.value === MERGE_KEY && key.type === "PLAIN";
}

/** Copies what the map does not have itself; of several sources the first wins. */
function merge(
  out: Record<string, unknown>,
  pair: Pair<Node, Node | null>,
  walk: Walk,
  depth: number,
) {
  const value = plainNode(pair.value, walk, depth + 1);
  for (const source of Array.isArray(value) ? value : [value]) {
    if (source === null || typeof source !== "object" || Array.isArray(source)) {
      throw new YamlFault(
        "yaml-merge",
        "a merge (<<) needs a map or a list of maps",
        "Point the merge at a map.",
        offsetOf(pair.key),
      );
    }
    for (const [name, item] of Object.entries(source)) {
      if (!(name in out)) out[name] = item;
    }
  }
}

function keyName(key: Node | null): { name: string; offset: number } {
  const offset = offsetOf(key);
  if (!isScalar(key)) {
    throw new YamlFault("yaml-key", "a key must be a word", "Write the key as a string.", offset);
  }
  // Plain words stay as written: a label `on` is no `true`.
  const name = key.type === "PLAIN" ? key.source ?? "" : String(key.value);
  if (name === "__proto__") {
    throw new YamlFault("yaml-key", `key "${name}" is refused`, "Use another name.", offset);
  }
  return { name, offset };
}

function offsetOf(node: Node | null | undefined): number {
  return node?.range?.[0] ?? 0;
}
