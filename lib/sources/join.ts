/**
 * Objects of several sources: which of them serves, and what changed.
 *
 * @module
 */
import type { ConfigObject } from "../model/mod.ts";
import type { ObjectIdentity } from "../schema/mod.ts";
import type { ChangeSet, SourceProblem } from "./ledger.ts";

/** The books of several sources, each by its name. */
export interface Join {
  /** A source that served alone so far: nothing of it is news. */
  begin(source: string, objects: readonly ConfigObject[]): void;
  /** A source changed. */
  note(source: string, changes: ChangeSet): void;
  /** A source is gone. */
  drop(source: string): void;
  /** Decides between sources, the first of `order` goes before, and tells what changed since the last call. */
  settle(order: readonly string[]): ChangeSet;
  /** Objects that serve, by kind, namespace and name. */
  objects(): ConfigObject[];
  /** Objects that another source's hide. */
  conflicts(order: readonly string[]): SourceProblem[];
}

function keyOf({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind}/${namespace}/${name}`;
}

/** Empty books. */
export function createJoin(): Join {
  const held = new Map<string, Map<string, ConfigObject>>();
  const serving = new Map<string, ConfigObject>();
  const touched = new Set<string>();
  /** Sources beside one another at the last settlement: another order is another choice. */
  let settled = "";

  const of = (source: string): Map<string, ConfigObject> => {
    const known = held.get(source) ?? new Map<string, ConfigObject>();
    held.set(source, known);
    return known;
  };
  const claims = (order: readonly string[], key: string): ConfigObject[] =>
    order.flatMap((source) => held.get(source)?.get(key) ?? []);

  return {
    begin(source, objects) {
      for (const object of objects) {
        of(source).set(keyOf(object.meta), object);
        serving.set(keyOf(object.meta), object);
      }
    },
    note(source, { upserts, deletes }) {
      for (const object of upserts) {
        of(source).set(keyOf(object.meta), object);
        touched.add(keyOf(object.meta));
      }
      for (const identity of deletes) {
        of(source).delete(keyOf(identity));
        touched.add(keyOf(identity));
      }
    },
    drop(source) {
      for (const key of held.get(source)?.keys() ?? []) touched.add(key);
      held.delete(source);
    },
    settle(order) {
      if (settled !== order.join("\n")) { for (const key of contested(held)) touched.add(key); }
      settled = order.join("\n");
      const upserts: ConfigObject[] = [];
      const deletes: ObjectIdentity[] = [];
      for (const key of [...touched].sort()) {
        const [winner] = claims(order, key);
        const before = serving.get(key);
        if (winner !== undefined) {
          const next = after(winner, before);
          serving.set(key, next);
          if (next !== before) upserts.push(next);
        } else if (before !== undefined) {
          const { kind, namespace, name } = before.meta;
          serving.delete(key);
          deletes.push({ kind, namespace, name });
        }
      }
      touched.clear();
      return { upserts, deletes };
    },
    objects: () => [...serving.keys()].sort().map((key) => serving.get(key)!),
    conflicts: (order) =>
      contested(held).flatMap((key) => {
        const [winner, ...losers] = claims(order, key);
        return winner === undefined ? [] : losers.map((loser) => conflict(winner, loser));
      }),
  };
}

/** Keys that more than one source holds, sorted. */
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

/** The object that serves after another of the same name: generations count up, wherever they come from. */
function after(object: ConfigObject, before: ConfigObject | undefined): ConfigObject {
  if (before === undefined) return object;
  const same = before.digest === object.digest &&
    before.meta.origin.file === object.meta.origin.file &&
    before.meta.creationTime === object.meta.creationTime;
  if (same) return before;
  const generation = Math.max(object.meta.generation, before.meta.generation + 1);
  return { ...object, meta: { ...object.meta, generation } };
}

function conflict(winner: ConfigObject, loser: ConfigObject): SourceProblem {
  const { kind, namespace, name, origin } = loser.meta;
  const place = `${winner.meta.origin.file}:${winner.meta.origin.line}`;
  return {
    file: origin.file ?? "",
    line: origin.line ?? 1,
    column: 1,
    path: "metadata.name",
    code: "duplicate-object",
    message: `${kind} ${namespace}/${name} is already defined at ${place}`,
    remedy: `Rename or remove it here or at ${place}.`,
    object: { kind, namespace, name },
    lastGoodServes: false,
  };
}
