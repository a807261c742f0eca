/**
 * The state machine of a change of roots. It has no clock and no effects: each step takes the state,
 * an event and the time, and gives the next state.
 *
 * A change goes through these phases. In `announced`, proxies are sent both roots, and the old one
 * signs. When every connected proxy has acknowledged both, the new root signs (`switched`), while
 * certificates of the old one remain valid. When the last of them has expired, the old root is
 * removed (`stable`). When proxies do not acknowledge in time, the change is `overdue`, and the
 * operator decides.
 *
 * @module
 */

/** The state; `R` is a root. */
export type RootChange<R> =
  | { readonly phase: "stable"; readonly active: R }
  | { readonly phase: "announced"; readonly active: R; readonly next: R; readonly since: number }
  | {
    readonly phase: "overdue";
    readonly active: R;
    readonly next: R;
    readonly since: number;
    /** Proxies that have not acknowledged both roots, by their names in order. */
    readonly laggards: readonly string[];
  }
  | {
    readonly phase: "switched";
    /** The new root, which signs. */
    readonly active: R;
    readonly previous: R;
    /** Time at which the last certificate of the previous root has expired. */
    readonly until: number;
  };

/** Events of a change of the root. */
export type RootEvent<R> =
  /** A new root was made. Ignored while another change is under way. */
  | { readonly type: "begin"; readonly next: R }
  /** Time passed; `pending` are the connected proxies that have not acknowledged both roots. */
  | { readonly type: "tick"; readonly pending: readonly string[] }
  /** The operator continues without the laggards, or abandons the new root. */
  | { readonly type: "proceed" }
  | { readonly type: "abort" };

/** Times of a change, ms. */
export interface RootChangeTimes {
  /** The time of the event. */
  readonly now: number;
  /** Time that proxies have to acknowledge. */
  readonly timeout: number;
  /** Longest lifetime of a certificate that the previous root has signed. */
  readonly longestTtl: number;
}

/** The next state; the same object when nothing changes. */
export function stepRootChange<R>(
  state: RootChange<R>,
  event: RootEvent<R>,
  times: RootChangeTimes,
): RootChange<R> {
  switch (state.phase) {
    case "stable":
      return event.type === "begin"
        ? { phase: "announced", active: state.active, next: event.next, since: times.now }
        : state;
    case "announced":
    case "overdue":
      return stepAnnounced(state, event, times);
    case "switched":
      return event.type === "tick" && times.now >= state.until
        ? { phase: "stable", active: state.active }
        : state;
  }
}

function stepAnnounced<R>(
  state: Extract<RootChange<R>, { phase: "announced" | "overdue" }>,
  event: RootEvent<R>,
  { now, timeout, longestTtl }: RootChangeTimes,
): RootChange<R> {
  const { active, next, since } = state;
  const switched = { phase: "switched", active: next, previous: active, until: now + longestTtl };
  if (event.type === "abort") return { phase: "stable", active };
  if (event.type === "proceed") return switched as RootChange<R>;
  if (event.type !== "tick") return state;
  if (event.pending.length === 0) return switched as RootChange<R>;
  if (now - since < timeout) return state;
  const laggards = [...event.pending].sort();
  const isSame = state.phase === "overdue" && state.laggards.join("\n") === laggards.join("\n");
  return isSame ? state : { phase: "overdue", active, next, since, laggards };
}

/** The roots that proxies trust in a state; the one that signs comes last. */
export function trustedRoots<R>(state: RootChange<R>): readonly R[] {
  switch (state.phase) {
    case "stable":
      return [state.active];
    case "announced":
    case "overdue":
      return [state.next, state.active];
    case "switched":
      return [state.previous, state.active];
  }
}
