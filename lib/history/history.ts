/**
 * What changed when: the latest publications with the edits that led to them and
 * the resources they changed. The resources themselves are not copied: earlier
 * ones stay in the logs of their collections for as long as those reach back.
 *
 * @module
 */
import type { Collection, Edit, Graph, Resource, View } from "../graph/mod.ts";
import { historyBytes, revisionsKept } from "./metrics.ts";

/** A resource that a publication changed in one collection. */
export interface Change {
  readonly collection: string;
  readonly name: string;
  /** Version before and after; `undefined` when there was or is none. An empty one hides the name in layers below. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** One publication. */
export interface Revision {
  readonly revision: number;
  /** The one before. */
  readonly previous: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Rows edited; the first thousand. */
  readonly edits: readonly Edit[];
  /** How many rows were edited in all; more than listed when some are not known any more. */
  readonly edited: number;
  /** Resources changed; the first thousand. */
  readonly changes: readonly Change[];
  readonly changed: number;
}

/** What differs between two revisions for whoever sees a view. Sorted by name. */
export interface HistoryDiff {
  readonly added: readonly Resource[];
  readonly removed: readonly Resource[];
  readonly changed: readonly { readonly before: Resource; readonly after: Resource }[];
}

/** The record, to be read. */
export interface History {
  /** The latest publications, the newest first. */
  revisions(limit?: number): readonly Revision[];
  /** One publication, if it is still known. */
  revision(revision: number): Revision | undefined;
  /**
   * What a view showed as of a revision, by name; `undefined` when that is not
   * known any more. The layers are those of the view now: to whom other layers
   * were laid then (a Sidecar came or went) something else was shown.
   */
  at(revision: number, view: View): ReadonlyMap<string, Resource> | undefined;
  /** What differs from `a` to `b`; `undefined` when one of them is not known any more. */
  diff(a: number, b: number, view: View): HistoryDiff | undefined;
}

/** The record, to be written. */
export interface HistoryLog extends History {
  /** Takes down a publication: to be called after each, with what it changed. */
  note(changed: ReadonlySet<Collection>, revision: number): void;
}

/** Bounds of the record. */
export interface HistoryOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Publications kept (default 1000). */
  readonly limit?: number;
  /** Bytes of all that is noted of them, about (default 16 MiB). */
  readonly bytes?: number;
}

/** Lines noted of one publication, of edits and of changes each. */
const LINES = 1_000;
/** Bytes of a line beside its names, and of a publication, about. */
const LINE_BYTES = 64;

/** A record of a graph's publications from now on. */
export function createHistory(graph: Graph, options: HistoryOptions): HistoryLog {
  const { clock, limit = 1_000, bytes: most = 16 * 1024 * 1024 } = options;
  const kept: { readonly entry: Revision; readonly bytes: number }[] = [];
  let bytes = 0;
  let last = graph.published;
  return {
    note: (changed, revision) => {
      const entry = revisionOf(graph, changed, { previous: last, revision, at: clock() });
      last = revision;
      const size = sizeOf(entry);
      kept.push({ entry, bytes: size });
      bytes += size;
      while (kept.length > limit || (bytes > most && kept.length > 1)) bytes -= kept.shift()!.bytes;
      revisionsKept.set(kept.length);
      historyBytes.set(bytes);
    },
    revisions: (count = limit) =>
      kept.slice(Math.max(0, kept.length - count)).map(({ entry }) => entry).reverse(),
    revision: (revision) => kept.find(({ entry }) => entry.revision === revision)?.entry,
    at: contentAt,
    diff: (a, b, view) => {
      const before = contentAt(a, view);
      const after = contentAt(b, view);
      return before === undefined || after === undefined ? undefined : compare(before, after);
    },
  };
}

function revisionOf(
  graph: Graph,
  changed: ReadonlySet<Collection>,
  { previous, revision, at }: Readonly<Record<"previous" | "revision" | "at", number>>,
): Revision {
  const all = graph.edits(previous) ?? [];
  const changes: Change[] = [];
  let count = 0;
  for (const collection of changed) {
    const before = new Map<string, string | undefined>();
    for (const { name, before: was } of collection.since(previous) ?? []) {
      if (!before.has(name)) before.set(name, was?.version);
    }
    for (const [name, version] of before) {
      const after = collection.get(name)?.version;
      if (after === version) continue;
      if (++count <= LINES) {
        changes.push({ collection: collection.name, name, before: version, after });
      }
    }
  }
  const edits = all.length > LINES ? all.slice(0, LINES) : all;
  return { revision, previous, at, edits, edited: all.length, changes, changed: count };
}

/** Characters of keys and names, and what holds them. Those of tables and collections are shared. */
function sizeOf({ edits, changes }: Revision): number {
  let bytes = LINE_BYTES;
  for (const { key } of edits) bytes += LINE_BYTES + key.length;
  for (const { name } of changes) bytes += LINE_BYTES + name.length;
  return bytes;
}

function contentAt(
  revision: number,
  view: View,
): ReadonlyMap<string, Resource> | undefined {
  const names = new Set(view.names());
  for (const layer of view.layers) {
    const log = layer.since(revision);
    if (log === undefined) return undefined;
    for (const { name } of log) names.add(name);
  }
  const content = new Map<string, Resource>();
  for (const name of names) {
    const resource = view.at(revision, name);
    if (resource === null) return undefined;
    if (resource !== undefined) content.set(name, resource);
  }
  return content;
}

function compare(
  before: ReadonlyMap<string, Resource>,
  after: ReadonlyMap<string, Resource>,
): HistoryDiff {
  const byName = (a: Resource, b: Resource) => (a.name < b.name ? -1 : 1);
  const added = [...after.values()].filter(({ name }) => !before.has(name)).sort(byName);
  const removed = [...before.values()].filter(({ name }) => !after.has(name)).sort(byName);
  const changed = [...after.values()].flatMap((now) => {
    const was = before.get(now.name);
    return was === undefined || was.version === now.version ? [] : [{ before: was, after: now }];
  }).sort((a, b) => byName(a.after, b.after));
  return { added, removed, changed };
}
