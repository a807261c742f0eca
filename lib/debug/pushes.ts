/**
 * What was published lately: by which edits, who was sent how much, and how long it took.
 *
 * @module
 */
import type { Edit, Graph } from "../graph/mod.ts";
import type { XdsObserver } from "../serve/mod.ts";

/** One publication and what became of it. */
export interface Publication {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The rows that were edited, the first of them. */
  readonly edits: readonly Pick<Edit, "table" | "key" | "kind">[];
  /** How many edits there were; `undefined` when it is not known any more. */
  readonly editCount: number | undefined;
  /** Streams that see something of what changed. */
  readonly concerned: number;
  readonly responses: number;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  readonly acknowledged: number;
  readonly rejected: number;
  /** From the publication to the last answer so far, in milliseconds. */
  readonly tookMs: number | undefined;
}

/** The latest publications, the newest first. */
export interface PushLog {
  /** To be handed to the discovery server. */
  readonly observer: XdsObserver;
  recent(): readonly Publication[];
}

type Growing = { -readonly [K in keyof Publication]: Publication[K] };

/** Publications kept. */
const KEPT = 200;
/** Edits kept of each. */
const EDITS = 20;

/** An empty log. Responses to proxies that connect are no part of it: no edit brought them about. */
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
