/**
 * The facts of pods and nodes that rows of Services are made from, as they were last: most events change
 * other fields.
 *
 * @module
 */
import type { Changes } from "../../../../kit/orch/mod.ts";
import type { NodeFacts, PodFacts } from "./api.ts";
import { idOf } from "./slice_index.ts";

/** The last parts of objects that matter. */
export interface LastFacts<V> {
  /** The ids of the objects whose part changed, appeared or went. */
  changed(changes: Changes<V>): string[];
}

/** Compares the parts of facts that `partOf` returns. */
function lastFacts<V extends { readonly namespace?: string; readonly name: string }>(
  partOf: (facts: V) => unknown,
): LastFacts<V> {
  // Facts have their fields in one order, and the API server sorts labels.
  const contentOf = (facts: V): string => JSON.stringify(partOf(facts));
  const last = new Map<string, V>();
  return {
    changed({ upserts, deletes }) {
      const ids = deletes.map(({ namespace, name }) => idOf(namespace, name))
        .filter((id) => last.delete(id));
      for (const facts of upserts) {
        const id = idOf(facts.namespace ?? "", facts.name);
        const before = last.get(id);
        last.set(id, facts);
        if (before === undefined || contentOf(before) !== contentOf(facts)) ids.push(id);
      }
      return ids;
    },
  };
}

/**
 * Facts of pods that endpoints have: all but readiness, which slices say, and of ambient mode only if the
 * pod's traffic is redirected.
 */
export function lastPods(): LastFacts<PodFacts> {
  return lastFacts<PodFacts>(({ ready: _, ambient, ...facts }) => ({
    ...facts,
    redirected: ambient?.redirected,
  }));
}

/** Facts of nodes that endpoints have: where they are. */
export function lastNodes(): LastFacts<NodeFacts> {
  return lastFacts<NodeFacts>(({ region, zone, subzone }) => ({ region, zone, subzone }));
}
