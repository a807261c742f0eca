/**
 * Overlays: patches of single values of objects, by path.
 *
 * @module
 */
import { canonicalJson } from "../../kit/base/mod.ts";
import { nearest, type Path } from "../../kit/text/mod.ts";
import type { OrchObject } from "../../kit/orch/mod.ts";
import type { Instance } from "./instances.ts";
import type { Report } from "./problems.ts";
import { parsePath, PathFault } from "./set_path.ts";
import { isTree, type Tree, valueAt } from "./tree.ts";
import { writeAt } from "./write.ts";

/** The objects with the overlays of a component. One that finds no object or no place is a problem. */
export function withOverlays(
  objects: readonly OrchObject[],
  { settings, path }: Instance,
  problem: Report["problem"],
): readonly OrchObject[] {
  const overlays = valueAt(settings, ["k8s", "overlays"]);
  if (!Array.isArray(overlays)) return objects;
  const result = [...objects];
  const written = new Map<string, { readonly path: Path; readonly value: string }>();
  for (const [at, overlay] of overlays.entries()) {
    if (!isTree(overlay)) continue;
    const place = [...path, "k8s", "overlays", at];
    const index = result.findIndex((one) => isTarget(one, overlay));
    if (index < 0) {
      problem(withoutObject(overlay, place, objects));
      continue;
    }
    const copy = { ...structuredClone(result[index]!) };
    for (const { patch, place: own } of patchesOf(overlay, place)) {
      const key = JSON.stringify([copy.kind, copy.metadata.name, patch.path]);
      const value = canonicalJson(patch.value ?? null);
      const first = written.get(key);
      if (first !== undefined && first.value !== value) problem(conflict(own, first.path));
      written.set(key, { path: own, value });
      apply(copy, patch, own, problem);
    }
    result[index] = copy;
  }
  return result;
}

function isTarget(object: OrchObject, { apiVersion, kind, name }: Tree): boolean {
  return object.kind === kind && object.metadata.name === name &&
    (apiVersion === undefined || apiVersion === "" || apiVersion === object.apiVersion);
}

interface Placed {
  readonly patch: Tree;
  readonly place: Path;
}

function patchesOf({ patches }: Tree, place: Path): Placed[] {
  return (Array.isArray(patches) ? patches : []).flatMap((patch: unknown, at) =>
    isTree(patch) ? [{ patch, place: [...place, "patches", at] }] : []
  );
}

function apply(object: Tree, patch: Tree, place: Path, problem: Report["problem"]): void {
  try {
    const steps = parsePath(String(patch.path ?? ""));
    writeAt(object, steps, { value: patch.value, addsElements: false });
  } catch (error) {
    if (!(error instanceof PathFault)) throw error;
    problem({
      path: [...place, "path"],
      code: "wrong-overlay",
      message: error.message,
      remedy: error.remedy,
    });
  }
}

function conflict(place: Path, first: Path): Parameters<Report["problem"]>[0] {
  return {
    path: place,
    code: "conflict",
    message: `another patch gives the same path another value (patch ${
      String(first.at(-1))
    } of overlay ${String(first.at(-3))})`,
    remedy: "Keep one of the patches.",
  };
}

function withoutObject(
  { apiVersion, kind, name }: Tree,
  place: Path,
  objects: readonly OrchObject[],
): Parameters<Report["problem"]>[0] {
  const version = isTree(apiVersion) || apiVersion === undefined ? "" : `${String(apiVersion)} `;
  const all = objects.map((one) => `${one.kind} ${one.metadata.name}`);
  const ofKind = objects.filter((one) => one.kind === kind).map((one) => one.metadata.name);
  const suggestion = nearest(`${String(kind)} ${String(name)}`, all);
  return {
    path: place,
    code: "no-object",
    message: `the component has no ${version}${String(kind)} ${String(name)}`,
    remedy: suggestion !== undefined && suggestion !== `${String(kind)} ${String(name)}`
      ? `Did you mean ${suggestion}?`
      : ofKind.length > 0
      ? `The component has ${String(kind)} ${ofKind.join(", ")}; check name and apiVersion.`
      : `Its objects have the kinds ${
        [...new Set(objects.map((one) => one.kind))].sort().join(", ")
      }.`,
    suggestion,
  };
}
