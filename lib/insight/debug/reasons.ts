/**
 * Assigns responses to edits: if several edits were published together, each gets what it changed.
 *
 * @module
 */
import { type Collection, type Graph, rowRef } from "../../mesh/graph/mod.ts";
import type { PublishedEvent, SentEvent } from "../../mesh/xds/mod.ts";

/** By type URL, then name: the rows, `Kind/namespace/name`, whose edits changed a resource. */
export type Reasons = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** The part of a publication that accounts need. */
export interface Publication {
  /** The edited rows. */
  readonly rows: readonly string[];
  /** Unset for one row: it caused everything. */
  readonly reasons?: Reasons;
}

/**
 * Maximum number of resources of one publication that are traced to their edits; the others are
 * shared.
 */
const FOLLOWED = 10_000;
/** With more resources in a response, they are not weighed individually. */
const WEIGHED = 1_000;

/**
 * Traces the changes of a publication, layer by layer. It must be called during the notification of
 * the publication.
 */
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
        for (const edit of graph.causes(layer, name)) rows.add(rowRef(edit));
        reasons.set(typeUrl, known.set(name, rows));
      }
    }
  }
  return reasons;
}

/**
 * Returns the parts of a response for each row: by the bytes of the resources that its edit
 * changed, in equal parts where the rows cannot be separated. The parts add up to 1.
 */
export function sharesOf(
  { typeUrl, resources, removed }: Pick<SentEvent, "typeUrl" | "resources" | "removed">,
  publications: readonly Publication[],
): ReadonlyMap<string, number> {
  const all = new Set(publications.flatMap(({ rows }) => rows));
  if (all.size < 2) return evenly(all);
  const followed = publications.flatMap(({ reasons }) => reasons?.get(typeUrl) ?? []);
  /** Rows that were alone in their publication: they caused what no other row caused. */
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
