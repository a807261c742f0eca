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
  return new Directories();
}

class Directories implements Merge {
  readonly #held = new Map<string, Map<string, ConfigObject>>();
  readonly #used = new Map<string, ConfigObject>();
  readonly #touched = new Set<string>();
  /** The order of the last call of `takeChanges`: another order is another decision. */
  #lastOrder = "";

  begin(dir: string, objects: readonly ConfigObject[]): void {
    for (const object of objects) {
      this.#objectsOf(dir).set(idOf(object.meta), object);
      this.#used.set(idOf(object.meta), object);
    }
  }

  add(dir: string, { upserts, deletes }: ObjectChanges): void {
    for (const object of upserts) {
      this.#objectsOf(dir).set(idOf(object.meta), object);
      this.#touched.add(idOf(object.meta));
    }
    for (const identity of deletes) {
      this.#objectsOf(dir).delete(idOf(identity));
      this.#touched.add(idOf(identity));
    }
  }

  drop(dir: string): void {
    for (const key of this.#held.get(dir)?.keys() ?? []) this.#touched.add(key);
    this.#held.delete(dir);
  }

  takeChanges(order: readonly string[]): ObjectChanges {
    if (this.#lastOrder !== order.join("\n")) {
      for (const key of contested(this.#held)) this.#touched.add(key);
    }
    this.#lastOrder = order.join("\n");
    const upserts: ConfigObject[] = [];
    const deletes: ObjectIdentity[] = [];
    for (const key of [...this.#touched].sort()) {
      const [winner] = this.#claims(order, key);
      const before = this.#used.get(key);
      if (winner !== undefined) {
        const next = after(winner, before);
        this.#used.set(key, next);
        if (next !== before) upserts.push(next);
      } else if (before !== undefined) {
        const { kind, namespace, name } = before.meta;
        this.#used.delete(key);
        deletes.push({ kind, namespace, name });
      }
    }
    this.#touched.clear();
    return { upserts, deletes };
  }

  objects(): ConfigObject[] {
    return [...this.#used.keys()].sort().map((key) => this.#used.get(key)!);
  }

  conflicts(order: readonly string[]): SourceProblem[] {
    return contested(this.#held).flatMap((key) => {
      const [winner, ...losers] = this.#claims(order, key);
      return winner === undefined ? [] : losers.map((loser) => conflict(winner, loser));
    });
  }

  #objectsOf(dir: string): Map<string, ConfigObject> {
    const known = this.#held.get(dir) ?? new Map<string, ConfigObject>();
    this.#held.set(dir, known);
    return known;
  }

  /** The versions of an object, that of the first directory first. */
  #claims(order: readonly string[], key: string): ConfigObject[] {
    return order.flatMap((dir) => this.#held.get(dir)?.get(key) ?? []);
  }
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
