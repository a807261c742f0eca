/**
 * Merges the objects of several directories: the first directory that has an object decides.
 *
 * @module
 */
import type { ObjectChanges } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { ObjectIdentity } from "../../schema/mod.ts";
import { duplicate, idOf, type Position } from "./duplicates.ts";
import type { SourceProblem } from "./source_problem.ts";

/** Objects of several directories. */
export interface Merge {
  /** Adds a directory that was the only one so far: its objects are in use already. */
  begin(dir: string, objects: readonly ConfigObject[]): void;
  /** Adds changes of a directory. */
  add(dir: string, changes: ObjectChanges): void;
  /** Removes a directory. */
  drop(dir: string): void;
  /**
   * Decides between directories: earlier ones in `order` precede later ones. Returns the changes
   * since the last call.
   */
  takeChanges(order: readonly string[]): ObjectChanges;
  /** Objects in use, sorted by kind, namespace and name. */
  objects(): ConfigObject[];
  /** Objects that are not used because an earlier directory has them, too. */
  conflicts(order: readonly string[]): SourceProblem[];
}

/** Creates a merge without directories. */
export function createMerge(): Merge {
  const held = new Map<string, Map<string, ConfigObject>>();
  const used = new Map<string, ConfigObject>();
  const touched = new Set<string>();
  /** The order of the last call of `takeChanges`: another order is another decision. */
  let lastOrder = "";

  const objectsOf = (dir: string): Map<string, ConfigObject> => {
    const known = held.get(dir) ?? new Map<string, ConfigObject>();
    held.set(dir, known);
    return known;
  };
  const claims = (order: readonly string[], key: string): ConfigObject[] =>
    order.flatMap((dir) => held.get(dir)?.get(key) ?? []);

  return {
    begin(dir, objects) {
      for (const object of objects) {
        objectsOf(dir).set(idOf(object.meta), object);
        used.set(idOf(object.meta), object);
      }
    },
    add(dir, { upserts, deletes }) {
      for (const object of upserts) {
        objectsOf(dir).set(idOf(object.meta), object);
        touched.add(idOf(object.meta));
      }
      for (const identity of deletes) {
        objectsOf(dir).delete(idOf(identity));
        touched.add(idOf(identity));
      }
    },
    drop(dir) {
      for (const key of held.get(dir)?.keys() ?? []) touched.add(key);
      held.delete(dir);
    },
    takeChanges(order) {
      if (lastOrder !== order.join("\n")) { for (const key of contested(held)) touched.add(key); }
      lastOrder = order.join("\n");
      const upserts: ConfigObject[] = [];
      const deletes: ObjectIdentity[] = [];
      for (const key of [...touched].sort()) {
        const [winner] = claims(order, key);
        const before = used.get(key);
        if (winner !== undefined) {
          const next = after(winner, before);
          used.set(key, next);
          if (next !== before) upserts.push(next);
        } else if (before !== undefined) {
          const { kind, namespace, name } = before.meta;
          used.delete(key);
          deletes.push({ kind, namespace, name });
        }
      }
      touched.clear();
      return { upserts, deletes };
    },
    objects: () => [...used.keys()].sort().map((key) => used.get(key)!),
    conflicts: (order) =>
      contested(held).flatMap((key) => {
        const [winner, ...losers] = claims(order, key);
        return winner === undefined ? [] : losers.map((loser) => conflict(winner, loser));
      }),
  };
}

/** Ids of objects that more than one directory has, sorted. */
function contested(held: ReadonlyMap<string, ReadonlyMap<string, ConfigObject>>): string[] {
  const [first, ...others] = [...held.values()].sort((a, b) => b.size - a.size);
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const objects of others) {
    for (const key of objects.keys()) {
      if (first?.has(key) || seen.has(key)) twice.add(key);
      seen.add(key);
    }
  }
  return [...twice].sort();
}

/** The object that replaces another one of the same name: its generation continues the other's. */
function after(object: ConfigObject, before: ConfigObject | undefined): ConfigObject {
  if (before === undefined) return object;
  const same = before.digest === object.digest &&
    before.meta.origin.file === object.meta.origin.file &&
    before.meta.creationTime === object.meta.creationTime;
  if (same) return before;
  const generation = Math.max(object.meta.generation, before.meta.generation + 1);
  return { ...object, meta: { ...object.meta, generation } };
}

function conflict(used: ConfigObject, other: ConfigObject): SourceProblem {
  return duplicate(other.meta, positionOf(other), positionOf(used));
}

function positionOf({ meta: { origin } }: ConfigObject): Position {
  return { file: origin.file ?? "", line: origin.line ?? 1 };
}
