/**
 * History: the latest publications with their edits and changed resources. Resources are not
 * copied: earlier ones are read from the logs of their collections, as far as these reach.
 *
 * @module
 */
import type { Collection, Edit, Graph, Resource, View } from "../../mesh/graph/mod.ts";
import { historyBytes, revisionsKept } from "./metrics.ts";

/** A resource that a publication changed in one collection. */
export interface Change {
  readonly collection: string;
  readonly name: string;
  /** Version before and after; `undefined`: none. An empty version is a tombstone. */
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
  /** Number of edited rows; more than listed if the list is truncated. */
  readonly edited: number;
  /** Resources changed; the first thousand. */
  readonly changes: readonly Change[];
  readonly changed: number;
}

/** The differences of a view between two revisions, sorted by name. */
export interface HistoryDiff {
  readonly added: readonly Resource[];
  readonly removed: readonly Resource[];
  readonly changed: readonly { readonly before: Resource; readonly after: Resource }[];
}

/** Read access to the history. */
export interface History {
  /** The latest publications, the newest first. */
  revisions(limit?: number): readonly Revision[];
  /** One publication, if it is stored. */
  revision(revision: number): Revision | undefined;
  /**
   * The content of a view at a revision, by name; `undefined` if it is no longer stored. The
   * current layers of the view are used, so the answer is wrong if the view had other layers then
   * (a Sidecar was added or removed).
   */
  at(revision: number, view: View): ReadonlyMap<string, Resource> | undefined;
  /** The differences from `a` to `b`; `undefined` if one of them is no longer stored. */
  diff(a: number, b: number, view: View): HistoryDiff | undefined;
}

/** Write access to the history. */
export interface HistoryLog extends History {
  /** Records a publication; called after each with its changes. */
  note(changed: ReadonlySet<Collection>, revision: number): void;
}

/** Bounds of the history. */
export interface HistoryOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Maximum number of publications (default 1000). */
  readonly limit?: number;
  /** Approximate maximum of bytes (default 16 MiB). */
  readonly bytes?: number;
}

/** Maximum of edits and of changes in one publication. */
const LINES = 1_000;
/** Approximate bytes of a line without its names, and of a publication. */
const LINE_BYTES = 64;

/** Starts the history of a graph. */
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

/** Bytes of keys and names. Names of tables and collections are shared. */
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
