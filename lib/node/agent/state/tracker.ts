/**
 * The state of the proxy as the agent sees it: its process, its admin API, its certificate.
 *
 * @module
 */
import { sleep } from "../../../kit/async/mod.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import type { ProxyExit, ProxyPhase, ProxyState } from "../../../mesh/model/mod.ts";
import type { Admin } from "../admin.ts";
import type { Readiness } from "../readiness.ts";
import type { Reports } from "../reports.ts";
import { reportsOn } from "./report_stream.ts";

/** Pause between two looks at a proxy that is not ready, and at one that is, ms. */
const PAUSES = { starting: 1000, ready: 30_000 };

/** Statistics of a report. All are in the statistics that each bootstrap file keeps. */
const STATS = "^(server\\.memory_physical_size|cluster_manager\\.(warming_clusters|cds\\." +
  "update_rejected)|listener_manager\\.(total_listeners_warming|lds\\.update_rejected))$";

/** Validity of the workload's certificate, ms since the epoch. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The parts of a proxy that are looked at. */
export interface Watched {
  readonly admin: Admin;
  readonly readiness: Readiness;
  /** The workload's certificate; `undefined`: the agent has none. */
  readonly certificate?: () => Validity | undefined;
  /** Pauses between looks; the default is for production. */
  readonly pauses?: typeof PAUSES;
}

/** The watched proxy. */
export interface StateTracker extends Reports {
  /** The state now; `undefined`: the proxy was not started. */
  state(): ProxyState | undefined;
  /** The process was started. */
  started(): void;
  /** The proxy was asked to drain. */
  draining(): void;
  /** The process ended unasked. */
  exited(exit: ProxyExit): void;
  stop(): void;
}

type Sample = Pick<ProxyState, "memory" | "rejected" | "warming">;

/**
 * Watches a proxy until it is stopped or has exited. A change is reported at once, an unchanged state
 * every 30 seconds.
 */
export function trackState(watched: Watched): StateTracker {
  const ending = new AbortController();
  const listeners = new Set<() => void>();
  let phase: ProxyPhase | undefined;
  let since = 0;
  let detail: Pick<ProxyState, "reason" | "exit"> = {};
  let sample: Sample = {};
  let reported = -Infinity;
  const enter = (next: ProxyPhase, more: typeof detail = {}) => {
    const now = performance.now();
    const isNew = next !== phase || more.reason !== detail.reason;
    if (next !== phase) since = now;
    phase = next;
    detail = more;
    if (!isNew && now - reported < PAUSES.ready) return;
    reported = now;
    for (const changed of listeners) changed();
  };
  const state = (): ProxyState | undefined => {
    if (phase === undefined) return undefined;
    const ageMs = Math.round(performance.now() - since);
    const certificate = watched.certificate?.();
    return { phase, ageMs, ...detail, ...sample, ...certificate && { certificate } };
  };
  const onChange = (changed: () => void) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  };
  return {
    state,
    on: (path) => reportsOn(path, state, onChange),
    started() {
      enter("starting");
      void look(watched, ending.signal, (seen, next) => {
        sample = next;
        enter(seen.phase, seen.reason === undefined ? {} : { reason: seen.reason });
      });
    },
    draining() {
      ending.abort();
      if (phase !== undefined) enter("draining");
    },
    exited(exit) {
      ending.abort();
      // The proxy's streams may still be open; the end is reported once, over another connection.
      listeners.clear();
      enter("exited", { exit });
    },
    stop: () => ending.abort(),
  };
}

interface Seen {
  readonly phase: "starting" | "ready" | "silent";
  readonly reason?: string;
}

/** Looks again and again, until `end` is aborted. */
async function look(
  { admin, readiness, pauses = PAUSES }: Watched,
  end: AbortSignal,
  note: (seen: Seen, sample: Sample) => void,
): Promise<void> {
  let hasAnswered = false;
  while (!end.aborted) {
    let seen: Seen;
    let sample: Sample = {};
    try {
      const reason = await readiness.check();
      sample = await sampleOf(admin);
      hasAnswered = true;
      seen = reason === undefined ? { phase: "ready" } : { phase: "starting", reason };
    } catch (error) {
      const reason = messageOf(error);
      seen = hasAnswered ? { phase: "silent", reason } : { phase: "starting", reason };
    }
    if (end.aborted) return;
    note(seen, sample);
    await sleep(pauses[seen.phase === "ready" ? "ready" : "starting"], end);
  }
}

async function sampleOf(admin: Admin): Promise<Sample> {
  const stats = await admin.stats(STATS);
  // A statistic at zero may be missing.
  const value = (name: string) => stats.get(name) ?? 0;
  const proxy = stats.get("server.memory_physical_size");
  return {
    memory: { ...proxy !== undefined && { proxy }, agent: Deno.memoryUsage().rss },
    rejected: {
      clusters: value("cluster_manager.cds.update_rejected"),
      listeners: value("listener_manager.lds.update_rejected"),
    },
    warming: {
      clusters: value("cluster_manager.warming_clusters"),
      listeners: value("listener_manager.total_listeners_warming"),
    },
  };
}
