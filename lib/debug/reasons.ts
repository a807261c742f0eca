/**
 * Whose edits a response is for: of several that went out together, each bears what it changed.
 *
 * @module
 */
import type { Collection, Edit, Graph } from "../graph/mod.ts";
import type { PublishedEvent, SentEvent } from "../serve/mod.ts";

/** By type URL, then name: the rows, `Kind/namespace/name`, whose edits changed a resource. */
export type Reasons = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** A publication, as far as it matters for accounts. */
export interface Publication {
  /** The rows that were edited. */
  readonly rows: readonly string[];
  /** Absent where one row was: it is behind everything. */
  readonly reasons?: Reasons;
}

/** Resources of one publication that are followed back to their edits; the others are shared. */
const FOLLOWED = 10_000;
/** Beyond so many resources in a response they are not weighed one by one. */
const WEIGHED = 1_000;

/** How an edit's row is named. */
export function rowOf({ table, key }: Edit): string {
  return `${table}/${key}`;
}

/** Follows what a publication changed, layer by layer. To be called while it is being told. */
export function reasonsOf(
  graph: Pick<Graph, "causes">,
  { concerns, from }: Pick<PublishedEvent, "concerns" | "from">,
): Reasons {
  const reasons = new Map<string, Map<string, Set<string>>>();
  const seen = new Set<Collection>();
  let left = FOLLOWED;
  for (const { view, before, subscribers } of concerns) {
    const typeUrl = subscribers[0]?.typeUrl;
    if (typeUrl === undefined) continue;
    for (const layer of [...view?.layers ?? [], ...before?.layers ?? []]) {
      if (seen.has(layer)) continue;
      seen.add(layer);
      const names = new Set((layer.since(from) ?? []).map(({ name }) => name));
      for (const name of names) {
        if (--left < 0) return reasons;
        const known = reasons.get(typeUrl) ?? new Map<string, Set<string>>();
        const rows = known.get(name) ?? new Set();
        for (const edit of graph.causes(layer, name)) rows.add(rowOf(edit));
        reasons.set(typeUrl, known.set(name, rows));
      }
    }
  }
  return reasons;
}

/**
 * The parts of a response that are for each row: by the bytes of what its edit changed, in equal
 * parts where nothing tells the rows apart. The parts add up to 1.
 */
export function sharesOf(
  { typeUrl, resources, removed }: Pick<SentEvent, "typeUrl" | "resources" | "removed">,
  publications: readonly Publication[],
): ReadonlyMap<string, number> {
  const all = new Set(publications.flatMap(({ rows }) => rows));
  if (all.size < 2) return evenly(all);
  const followed = publications.flatMap(({ reasons }) => reasons?.get(typeUrl) ?? []);
  /** Rows that were alone in their publication: behind whatever no other one is. */
  const alone = publications.flatMap(({ rows, reasons }) => reasons === undefined ? rows : []);
  const weights = new Map<string, number>();
  const weigh = (name: string, bytes: number): void => {
    const found = new Set(followed.flatMap((names) => [...names.get(name) ?? []]));
    const rows = found.size > 0 ? found : new Set(alone);
    for (const row of rows) weights.set(row, (weights.get(row) ?? 0) + bytes / rows.size);
  };
  if (resources.length > WEIGHED) {
    for (const names of followed) for (const name of names.keys()) weigh(name, 1);
  } else {
    for (const { name, bytes } of resources) weigh(name, name.length + bytes.length);
    for (const name of removed) weigh(name, name.length);
  }
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return evenly(all);
  return new Map([...weights].map(([row, weight]) => [row, weight / total]));
}

function evenly(rows: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map([...rows].map((row) => [row, 1 / rows.size]));
}
