/**
 * The latest pushes: their edits, the amount sent to each proxy, and their duration.
 *
 * @module
 */
import type { Edit, Graph } from "../../mesh/graph/mod.ts";
import type { XdsObserver } from "../../mesh/xds/mod.ts";

/** One push and its result. */
export interface Publication {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The first edited rows. */
  readonly edits: readonly Pick<Edit, "table" | "key" | "kind">[];
  /** Number of edits; `undefined` if it is no longer known. */
  readonly editCount: number | undefined;
  /** Number of streams whose views changed. */
  readonly concerned: number;
  readonly responses: number;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  readonly acknowledged: number;
  readonly rejected: number;
  /** Milliseconds from the publication to the last response so far. */
  readonly tookMs: number | undefined;
}

/** The latest pushes, the newest first. */
export interface PushLog {
  /** Observer for the discovery server. */
  readonly observer: XdsObserver;
  recent(): readonly Publication[];
}

type Growing = { -readonly [K in keyof Publication]: Publication[K] };

/** Number of recorded pushes. */
const KEPT = 200;
/** Number of recorded edits of each push. */
const EDITS = 20;

/**
 * Creates an empty log. First responses to connecting proxies are not included, because no edit
 * caused them.
 */
export function createPushLog(graph: Graph): PushLog {
  const log = new Map<number, Growing>();
  const answered = (revision: number, time: number, what: "acknowledged" | "rejected"): void => {
    const entry = log.get(revision);
    if (entry === undefined) return;
    entry[what]++;
    entry.tookMs = Math.max(entry.tookMs ?? 0, time - entry.time);
  };
  return {
    observer: {
      published: ({ revision, from, time, concerns }) => {
        const edits = graph.edits(from);
        const streams = new Set(concerns.flatMap((c) => c.subscribers.map((o) => o.stream)));
        log.set(revision, {
          revision,
          time,
          edits: (edits ?? []).slice(0, EDITS).map(({ table, key, kind }) => ({
            table,
            key,
            kind,
          })),
          editCount: edits?.length,
          concerned: streams.size,
          responses: 0,
          resources: 0,
          removed: 0,
          bytes: 0,
          acknowledged: 0,
          rejected: 0,
          tookMs: undefined,
        });
        if (log.size > KEPT) log.delete(log.keys().next().value!);
      },
      sent: ({ from, revision, resources, removed, bytes }) => {
        const entry = from === 0 ? undefined : log.get(revision);
        if (entry === undefined) return;
        entry.responses++;
        entry.resources += resources.length;
        entry.removed += removed.length;
        entry.bytes += bytes;
      },
      acknowledged: ({ from, revision, time }) => {
        if (from !== 0) answered(revision, time, "acknowledged");
      },
      rejected: ({ from, revision, time }) => {
        if (from !== 0) answered(revision, time, "rejected");
      },
    },
    recent: () => [...log.values()].reverse(),
  };
}
