/**
 * Merging of MeshOperator documents: later ones win, maps are merged field by field, some lists by a
 * key of their elements, other lists are replaced, and `null` takes a field away.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import { isTree, type Tree } from "./tree.ts";

/** The key by which elements of a list are merged; `undefined` for a list that is replaced. */
export function mergeKeyOf(path: Path): string | undefined {
  const [root, part] = path;
  const last = path.at(-1);
  if (root !== "spec") return undefined;
  if (part === "meshConfig") return last === "extensionProviders" ? "name" : undefined;
  if (part !== "components") return undefined;
  if (path.length === 3) {
    return last === "ingressGateways" || last === "egressGateways" ? "name" : undefined;
  }
  if (path.at(-2) !== "k8s") return undefined;
  return last === "env" || last === "volumes"
    ? "name"
    : last === "volumeMounts"
    ? "mountPath"
    : undefined;
}

/** Merges `patch` over `base`; neither is changed. */
export function mergeOver(base: Tree, patch: Tree, path: Path = []): Tree {
  const result: Tree = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && !keepsNull(path)) delete result[name];
    else result[name] = mergedValue(result[name], value, [...path, name]);
  }
  return result;
}

/** In values null stays: it takes a value of the chart away. */
function keepsNull([root, part]: Path): boolean {
  return root === "spec" && (part === "values" || part === "unvalidatedValues");
}

function mergedValue(base: unknown, patch: unknown, path: Path): unknown {
  if (isTree(patch)) return mergeOver(isTree(base) ? base : {}, patch, path);
  if (!Array.isArray(patch) || !Array.isArray(base)) return patch;
  const key = mergeKeyOf(path);
  return key === undefined ? patch : mergedList(base, patch, { key, path });
}

function mergedList(
  base: readonly unknown[],
  patch: readonly unknown[],
  { key, path }: { readonly key: string; readonly path: Path },
): unknown[] {
  const result = [...base];
  const nameOf = (one: unknown) => isTree(one) ? one[key] : undefined;
  for (const one of patch) {
    const name = nameOf(one);
    const at = name === undefined ? -1 : result.findIndex((other) => nameOf(other) === name);
    // An element of a container, such as a variable, has one of several sources: it is replaced.
    if (at >= 0) {
      result[at] = key === "name" && isTree(one) && path.length === 3
        ? mergeOver(result[at] as Tree, one, [...path, at])
        : one;
    } else result.push(one);
  }
  return result;
}

/** Merges values of charts, in which null stays. */
export function mergedValues(base: Tree, patch: Tree): Tree {
  return mergeOver(base, patch, ["spec", "values"]);
}
