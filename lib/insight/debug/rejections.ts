/**
 * Rejected documents of objects.
 *
 * @module
 */
import type { ConfigObject } from "../../mesh/model/mod.ts";
import { type Kind, KINDS, type SchemaProblem } from "../../mesh/schema/mod.ts";
import type { SourceProblem } from "../../mesh/sources/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** Kind, namespace, name and origin of an object. */
type Meta = Pick<ConfigObject["meta"], "kind" | "namespace" | "name" | "origin">;

/** Returns the problems of rejected documents that may be a newer version of an object. */
export function rejectionsOf(
  { problems }: Pick<DebugInputs, "problems">,
  meta: Meta,
): SourceProblem[] {
  return problems().filter((problem) => concerns(problem, meta));
}

/** Returns the object that serves instead of a rejected document. */
export function servedVersion(
  objects: readonly ConfigObject[],
  problem: SourceProblem,
): ConfigObject | undefined {
  if (problem.object === undefined) return undefined;
  return objects.find(({ meta }) => concerns(problem, meta));
}

/**
 * A document without a readable identity may be of any object of its file. A document with a
 * misspelt kind is of the nearest kind.
 */
function concerns(problem: SourceProblem, { kind, namespace, name, origin }: Meta): boolean {
  const { object, file, lastGoodServes } = problem;
  if (object === undefined) return lastGoodServes && origin.file === file;
  return object.namespace === namespace && object.name === name && meantKind(object) === kind;
}

/** Returns the kind of a document, or the nearest one if there is no such kind. */
function meantKind({ kind }: NonNullable<SchemaProblem["object"]>): string {
  const names = KINDS.map((one: Kind) => one.kind);
  return names.includes(kind) ? kind : nearest(kind, names) ?? kind;
}
