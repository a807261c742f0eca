/**
 * Settings that several components share and that can be written in several places: hub, tag,
 * revision, namespace, mesh configuration.
 *
 * @module
 */
import { isDnsLabel, type Path } from "../../kit/text/mod.ts";
import { canonicalJson } from "../../kit/base/mod.ts";
import { rankOf, type Sources } from "./documents.ts";
import { mergeOver } from "./merge.ts";
import type { Report } from "./problems.ts";
import { isTree, type Tree, treeAt, valueAt } from "./tree.ts";

/** The shared settings. */
export interface Shared {
  readonly hub: string | undefined;
  readonly tag: string | undefined;
  /** Empty for the default revision. */
  readonly revision: string;
  readonly namespace: string;
  readonly meshConfig: Tree;
}

/** The namespace of installations that name none. */
const SYSTEM_NAMESPACE = "mesh-system";

/** The merged document with its sources. */
interface Merged {
  readonly root: Tree;
  readonly sources: Sources;
  readonly problem: Report["problem"];
}

/** Reads the shared settings. Two values of one document that differ are a problem. */
export function sharedSettings(merged: Merged): Shared {
  const revision = chosen(merged, [["spec", "revision"], ["spec", "values", "revision"]]);
  const namespace = chosen(merged, [
    ["spec", "namespace"],
    ["metadata", "namespace"],
    ["spec", "values", "global", "meshNamespace"],
  ]);
  for (const one of [revision, namespace]) if (one !== undefined) checkLabel(one, merged.problem);
  return {
    hub: chosen(merged, [["spec", "hub"], ["spec", "values", "global", "hub"]])?.value,
    tag: chosen(merged, [["spec", "tag"], ["spec", "values", "global", "tag"]])?.value,
    revision: revision === undefined || revision.value === "default" ? "" : revision.value,
    namespace: namespace?.value ?? SYSTEM_NAMESPACE,
    meshConfig: meshConfigOf(merged),
  };
}

interface Chosen {
  readonly path: Path;
  readonly value: string;
}

/** The value that was written last; of one document, both must be equal. */
function chosen({ root, sources, problem }: Merged, paths: readonly Path[]): Chosen | undefined {
  const found = paths.flatMap((path) => {
    const value = valueAt(root, path);
    if (typeof value !== "string" && typeof value !== "number" || value === "") return [];
    return [{ path, value: String(value), rank: rankOf(sources, root, path) }];
  });
  const [first, ...others] = found.sort((a, b) => b.rank - a.rank);
  for (const other of others) {
    if (first === undefined || other.rank < first.rank || other.value === first.value) continue;
    problem(conflict(other, first));
  }
  return first;
}

function conflict(one: Chosen, other: Chosen): Parameters<Report["problem"]>[0] {
  return {
    path: one.path,
    code: "conflict",
    message: `it is "${one.value}", and ${other.path.join(".")} is "${other.value}"`,
    remedy: "Set one of them.",
  };
}

/** Reports a name that cannot be part of names of objects. */
export function checkLabel({ path, value }: Chosen, problem: Report["problem"]): void {
  if (isDnsLabel(value)) return;
  problem({
    path,
    code: "wrong-value",
    message: `"${value}" cannot be a name`,
    remedy:
      "Use up to 63 lower-case letters, digits and dashes; begin and end with a letter or digit.",
  });
}

/** `spec.meshConfig` over `spec.values.meshConfig`. */
function meshConfigOf({ root, problem }: Merged): Tree {
  const [own, values] = [["spec", "meshConfig"], ["spec", "values", "meshConfig"]];
  const [over, under] = [treeAt(root, own!), treeAt(root, values!)];
  for (const path of conflicts(over, under)) {
    problem({
      path: [...values!, ...path],
      code: "conflict",
      message: `it differs from spec.meshConfig.${path.join(".")}`,
      remedy: "Keep the mesh configuration in spec.meshConfig alone.",
    });
  }
  return mergeOver(under, over, own);
}

/** Paths that both trees have with different values. */
function conflicts(one: Tree, other: Tree, path: readonly string[] = []): string[][] {
  return Object.keys(one).filter((name) => Object.hasOwn(other, name)).flatMap((name) => {
    const [a, b] = [one[name], other[name]];
    const at = [...path, name];
    if (isTree(a) && isTree(b)) return conflicts(a, b, at);
    return canonicalJson(a) === canonicalJson(b) ? [] : [at];
  });
}
