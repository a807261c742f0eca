/**
 * Syntax tree to plain values, with the checks that need the tree: duplicate
 * and unsafe keys, merges, aliases within bounds, nesting.
 *
 * @module
 */
import { type MapNode, type Node, type Pair, type SeqNode, tooDeep } from "./compose.ts";
import type { YamlLimits } from "./limits.ts";
import { checkTag, scalarValue } from "./scalar.ts";
import { YamlFault } from "./yaml_fault.ts";

/** Key of merges (`<<: *base`). */
export const MERGE_KEY = "<<";

interface Anchored {
  readonly value: unknown;
  readonly nodes: number;
  readonly length: number;
}

interface Walk {
  readonly limits: YamlLimits;
  /** The value of each anchor; `null` while the anchored node is being built. */
  readonly anchors: Map<string, Anchored | null>;
  nodes: number;
  length: number;
  aliasNodes: number;
  aliasLength: number;
}

/** The value of a tree. @throws {YamlFault} for the first mistake. */
export function toPlain(tree: Node | undefined, limits: YamlLimits): unknown {
  const walk = {
    limits,
    anchors: new Map<string, Anchored | null>(),
    nodes: 0,
    length: 0,
    aliasNodes: 0,
    aliasLength: 0,
  };
  return tree === undefined ? null : plainNode(tree, walk, 0);
}

/** Checks a text for control characters. @throws {YamlFault} at the first one. */
export function refuseControl(text: string): void {
  // deno-lint-ignore no-control-regex
  const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.exec(text);
  if (control === null) return;
  const code = control[0].charCodeAt(0).toString(16).padStart(4, "0");
  throw new YamlFault(
    "yaml-control-character",
    `control character U+${code}`,
    "Remove it, or write it as an escape in double quotes.",
    control.index,
  );
}

function plainNode(node: Node, walk: Walk, depth: number): unknown {
  if (depth > walk.limits.depth) throw tooDeep(walk.limits, node.offset);
  if (node.kind === "alias") return plainAlias(node.name, node.offset, walk);
  const { anchor } = node;
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

/** The value of an alias is shared, and counted as if it were expanded. */
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

function plainContent(
  node: Exclude<Node, { kind: "alias" }>,
  walk: Walk,
  depth: number,
): unknown {
  walk.nodes++;
  if (node.kind === "map") return plainMap(node, walk, depth);
  if (node.kind === "seq") return plainSeq(node, walk, depth);
  const value = scalarValue(node);
  if (typeof value === "string") walk.length += value.length;
  return value;
}

function plainSeq(seq: SeqNode, walk: Walk, depth: number): unknown[] {
  checkTag(seq.tag, "seq", seq.offset);
  return seq.items.map((item) => plainNode(item, walk, depth + 1));
}

function plainMap(map: MapNode, walk: Walk, depth: number): Record<string, unknown> {
  checkTag(map.tag, "map", map.offset);
  const out: Record<string, unknown> = Object.create(null);
  const seen = new Map<string, number>();
  for (const pair of map.pairs) {
    if (isMergeKey(pair.key)) continue;
    const { name, offset } = keyName(pair.key);
    const first = seen.get(name);
    if (first !== undefined) {
      throw new YamlFault(
        "yaml-duplicate-key",
        `key "${name}" occurs twice in one map`,
        "Keep one of the two.",
        { offset: offset, related: first },
      );
    }
    seen.set(name, offset);
    out[name] = plainNode(pair.value, walk, depth + 1);
  }
  for (const pair of map.pairs) {
    if (isMergeKey(pair.key)) merge(out, pair, walk, depth);
  }
  return out;
}

/** Reports if a key is the plain `<<`. */
export function isMergeKey(key: Node): boolean {
  return key.kind === "scalar" && key.text === MERGE_KEY && key.plain;
}

/** Copies missing keys into the map; the first of several sources wins. */
function merge(
  out: Record<string, unknown>,
  pair: Pair,
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
        pair.key.offset,
      );
    }
    for (const [name, item] of Object.entries(source)) {
      if (!(name in out)) out[name] = item;
    }
  }
}

/** Plain keys stay as written: a label `on` is not `true`. */
function keyName(key: Node): { name: string; offset: number } {
  const { offset } = key;
  if (key.kind !== "scalar") {
    throw new YamlFault("yaml-key", "a key must be a word", "Write the key as a string.", offset);
  }
  const name = key.text;
  if (name === "__proto__") {
    throw new YamlFault("yaml-key", `key "${name}" is refused`, "Use another name.", offset);
  }
  return { name, offset };
}
