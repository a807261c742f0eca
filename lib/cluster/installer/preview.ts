/**
 * The changes that an installation would make, as text. Pure.
 *
 * @module
 */
import { differenceLines } from "../manifests/mod.ts";
import type { Comparison } from "./compare.ts";
import { nameOf } from "./plan.ts";
import type { Found } from "./prune.ts";

/** Lines of the difference between an installation and the cluster. */
export function previewLines(
  compared: readonly Comparison[],
  pruned: readonly Found[],
  newNamespaces: Iterable<string>,
): string[] {
  const made = [...newNamespaces].map((name) => `+ Namespace ${name}`);
  const lines = compared.flatMap(({ object, state, changes, conflicts }) => {
    if (state === "same") return [];
    if (state === "new") return [`+ ${nameOf(object)}`];
    const isSecret = object.kind === "Secret";
    return [
      `~ ${nameOf(object)}`,
      ...differenceLines(changes, { isSecret }).map((line) => `    ${line}`),
      ...conflicts.map(({ field, manager }) => `    ! ${field} belongs to "${manager}"`),
      ...changes.length + conflicts.length === 0 ? ["    ownership of its fields"] : [],
    ];
  });
  const removed = pruned.map(({ object }) => `- ${nameOf(object)}`);
  return [...made, ...lines, ...removed, countsText(compared, pruned)];
}

/** Numbers of the objects that are new, change, go and stay. */
export function countsText(compared: readonly Comparison[], pruned: readonly Found[]): string {
  const count = (state: Comparison["state"]): number =>
    compared.filter((one) => one.state === state).length;
  return `${count("new")} new, ${count("changed")} changed, ${pruned.length} removed, ` +
    `${count("same")} unchanged`;
}
