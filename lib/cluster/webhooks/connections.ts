/**
 * Bounds on the connections of the webhook listener: in total, from one address, in a time, and without a
 * request. A connection that waits gives way to a new one, so that silent clients keep nobody out.
 *
 * @module
 */
import { createArrivals } from "../../kit/async/mod.ts";

export interface ConnectionBounds {
  /** Connections at one time. */
  readonly total: number;
  /** Connections of one address at one time. */
  readonly ofAddress: number;
  /** New connections of an address at once; afterwards `perSecond` in each second. */
  readonly burst: number;
  readonly perSecond: number;
  /** Time for the handshake and the first request's headers, ms. */
  readonly firstRequestMs: number;
  /** Time without a further request, ms. The API server keeps connections for later calls. */
  readonly idleMs: number;
  /** Time for the body of a request, ms. The API server sends a body at once. */
  readonly bodyMs: number;
  /** Time for an answer, ms. The API server waits at most 30 s. */
  readonly answerMs: number;
  /**
   * Age from which a connection without a complete request gives way to a new one, ms. Where none has it,
   * the oldest silent one goes.
   */
  readonly givesWayMs: number;
}

/** The bounds of the listener. The API server calls from few addresses, over few connections. */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  total: 512,
  ofAddress: 256,
  burst: 2_000,
  perSecond: 250,
  firstRequestMs: 10_000,
  idleMs: 75_000,
  bodyMs: 10_000,
  answerMs: 30_000,
  givesWayMs: 250,
};

/**
 * The state of a connection: no request yet, the body of a request arrives, a complete request waits for
 * its answer, the last request is answered.
 */
type State = "silent" | "receiving" | "answering" | "idle";

/** The order in which connections give way; those that are being answered never do. */
const GIVES_WAY: Readonly<Record<State, number>> = {
  silent: 0,
  receiving: 1,
  idle: 2,
  answering: 3,
};

/** A connection within the bounds. */
export interface BoundConnection {
  readonly address: string;
  /** Sets how the connection is ended; after the handshake it is another socket. */
  cutBy(cut: () => void): void;
  /** The state changed. */
  enter(state: State): void;
  /** The connection is closed. */
  left(): void;
}

/** The connections of a listener. */
export interface Connections {
  /** Lets a connection in; `undefined`: it is refused. */
  enter(address: string, cut: () => void): BoundConnection | undefined;
  /** Cuts connections whose time is over. */
  sweep(): void;
  cutAll(): void;
  readonly size: number;
}

interface Entry extends BoundConnection {
  state: State;
  /** Monotonic milliseconds. */
  since: number;
  cut: () => void;
}

/** Makes the bounds of a listener. `now`: monotonic milliseconds. */
export function boundConnections(bounds: ConnectionBounds, now: () => number): Connections {
  const all = new Set<Entry>();
  const addresses = new Map<string, Set<Entry>>();
  const arrivals = createArrivals(bounds, now);
  const leave = (entry: Entry) => {
    if (!all.delete(entry)) return;
    const own = addresses.get(entry.address)!;
    own.delete(entry);
    if (own.size === 0) addresses.delete(entry.address);
  };
  const cut = (entry: Entry) => {
    // Its place is free now, however long its socket takes to close.
    leave(entry);
    entry.cut();
  };
  const makeWay = (entries: Iterable<Entry>): boolean => {
    const next = firstToGo(entries, now() - bounds.givesWayMs) ?? oldestSilent(entries);
    if (next === undefined) return false;
    cut(next);
    return true;
  };
  const heaviest = () => [...addresses.values()].reduce((a, b) => b.size > a.size ? b : a);
  return {
    enter(address, given) {
      if (!arrivals.take(address)) return undefined;
      const own = addresses.get(address);
      if ((own?.size ?? 0) >= bounds.ofAddress && !makeWay(own!)) return undefined;
      if (all.size >= bounds.total && !makeWay(heaviest())) return undefined;
      const entry: Entry = {
        address,
        state: "silent",
        since: now(),
        cut: given,
        cutBy: (next) => void (entry.cut = next),
        enter(state) {
          entry.state = state;
          entry.since = now();
        },
        left: () => leave(entry),
      };
      all.add(entry);
      addresses.set(address, (addresses.get(address) ?? new Set()).add(entry));
      return entry;
    },
    sweep() {
      const time = now();
      for (const entry of [...all]) {
        if (time - entry.since > timeOf(entry.state, bounds)) cut(entry);
      }
    },
    cutAll() {
      for (const entry of [...all]) cut(entry);
    },
    get size() {
      return all.size;
    },
  };
}

function timeOf(state: State, bounds: ConnectionBounds): number {
  switch (state) {
    case "silent":
      return bounds.firstRequestMs;
    case "receiving":
      return bounds.bodyMs;
    case "answering":
      return bounds.answerMs;
    case "idle":
      return bounds.idleMs;
  }
}

/** The connection that gives way: of the least worth, the one that waits longest. */
function firstToGo(entries: Iterable<Entry>, before: number): Entry | undefined {
  let first: Entry | undefined;
  for (const entry of entries) {
    if (entry.state === "answering" || entry.since > before) continue;
    const order = first && GIVES_WAY[entry.state] - GIVES_WAY[first.state];
    if (!first || order! < 0 || order === 0 && entry.since < first.since) first = entry;
  }
  return first;
}

/**
 * The connection that waits longest for its first request. It goes where none is old enough: the request of
 * the newest is more likely to come than that of the oldest, also while an address opens many at once.
 */
function oldestSilent(entries: Iterable<Entry>): Entry | undefined {
  let oldest: Entry | undefined;
  for (const entry of entries) {
    if (entry.state === "silent" && (!oldest || entry.since < oldest.since)) oldest = entry;
  }
  return oldest;
}
