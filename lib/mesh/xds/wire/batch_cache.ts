/**
 * Cache of encoded sequences of resources. Proxies that connect at the same time are sent the same
 * batches, whole or in slices: a batch is encoded once and then copied to each connection, instead
 * of resource by resource.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/** Minimum number of resources in a cached batch. */
export const BATCH_LEAST = 16;
/** Maximum cached bytes. The response for a thousand services has 3 MiB. */
const MOST = 16 * 1024 * 1024;
/** Runs remembered that begin with the same resource: kinds of proxy that share it see others after it. */
const ALIKE = 8;

/** Runs put together lately, of all types. */
export interface BatchCache {
  /** A function that finds the bytes of a run, or makes them. */
  join(
    make: (resources: readonly Resource[]) => Uint8Array,
  ): (resources: readonly Resource[]) => Uint8Array;
  /** Clears the cache when nothing is being sent. */
  rest(): void;
  /** Cached bytes. */
  readonly bytes: number;
}

interface Run {
  readonly resources: readonly Resource[];
  bytes: Uint8Array | undefined;
}

/** Nothing put together yet. */
export function batchCache(): BatchCache {
  /** Cached batches, least recently used first. */
  const kept = new Set<Run>();
  let total = 0;
  const drop = (run: Run): void => {
    if (!kept.delete(run)) return;
    total -= run.bytes!.byteLength;
    run.bytes = undefined;
  };
  return {
    join(make) {
      const byFirst = new WeakMap<Resource, Run[]>();
      return (resources) => {
        const run = find(byFirst, resources, drop);
        const bytes = run.bytes ??= make(resources);
        if (!kept.delete(run)) total += bytes.byteLength;
        kept.add(run);
        for (const oldest of kept) {
          if (total <= MOST) break;
          drop(oldest);
        }
        return bytes;
      };
    },
    rest() {
      for (const run of kept) drop(run);
    },
    get bytes() {
      return total;
    },
  };
}

/** The run of these resources, among those that begin like it. */
function find(
  byFirst: WeakMap<Resource, Run[]>,
  resources: readonly Resource[],
  drop: (run: Run) => void,
): Run {
  const first = resources[0]!;
  let batches = byFirst.get(first);
  if (!batches) byFirst.set(first, batches = []);
  const known = batches.find((run) => isSame(run.resources, resources));
  if (known) return known;
  const run: Run = { resources, bytes: undefined };
  if (batches.push(run) > ALIKE) drop(batches.shift()!);
  return run;
}

function isSame(a: readonly Resource[], b: readonly Resource[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
