/**
 * The states of a subscription and the transitions between them, as data. `docs/serving.md`
 * shows the same tables.
 *
 * @module
 */

/** For each state, the state that follows an event. An event that is missing cannot occur there. */
export type Machine<S extends string, E extends string> = Readonly<
  Record<S, Readonly<Partial<Record<E, S>>>>
>;

/**
 * `initial`: no response was planned yet. `due`: something may have to be sent. `current`: all that
 * the client is to have was sent, or is about to be.
 */
export type ContentState = "initial" | "due" | "current";

/**
 * `changed`: the client requested something, the view changed, or resources are to be sent again.
 * `planned`: the responses for all of it were planned.
 */
export type ContentEvent = "changed" | "planned";

/** The state of the content of a subscription. */
export const CONTENT: Machine<ContentState, ContentEvent> = {
  initial: { changed: "initial", planned: "current" },
  due: { changed: "due", planned: "current" },
  current: { changed: "due" },
};

/**
 * `none`: nothing was sent. `awaiting`: a response has no answer yet. `accepted`, `rejected`: the
 * answer to the latest response.
 */
export type AnswerState = "none" | "awaiting" | "accepted" | "rejected";

/**
 * `sent`: a response was sent. `accepted`, `rejected`: the client answered the latest response.
 * `partly`: it answered an earlier one. Answers to unknown and superseded responses are not events.
 */
export type AnswerEvent = "sent" | "accepted" | "rejected" | "partly";

/** The state of the client's answers. */
export const ANSWERS: Machine<AnswerState, AnswerEvent> = {
  none: { sent: "awaiting" },
  awaiting: { sent: "awaiting", accepted: "accepted", rejected: "rejected", partly: "awaiting" },
  accepted: { sent: "awaiting" },
  rejected: { sent: "awaiting" },
};

/**
 * `idle`: nothing is searched. `searching`: responses are sent, or wait to be sent, that find out
 * which resources of a rejected response the client rejects.
 */
export type SearchState = "idle" | "searching";

/** `trial`: a response waits to be sent for it. `sent`: one was sent. `finished`: none is left. */
export type SearchEvent = "trial" | "sent" | "finished";

/** The state of the search for rejected resources. */
export const SEARCH: Machine<SearchState, SearchEvent> = {
  idle: { trial: "searching", finished: "idle" },
  searching: { trial: "searching", sent: "searching", finished: "idle" },
};

/** `none`: no removal waits. `waiting`: removals wait until nothing refers to the resources. */
export type RemovalState = "none" | "waiting";

/** `postponed`: a removal is to wait. `settled`: none is left, because all were sent or revoked. */
export type RemovalEvent = "postponed" | "settled";

/** The state of the removals that wait. */
export const REMOVALS: Machine<RemovalState, RemovalEvent> = {
  none: { postponed: "waiting", settled: "none" },
  waiting: { postponed: "waiting", settled: "none" },
};

/** The state after an event. Throws an error for an event that cannot occur in the state. */
export function next<S extends string, E extends string>(
  machine: Machine<S, E>,
  state: S,
  event: E,
): S {
  const after: S | undefined = machine[state][event];
  if (after === undefined) {
    throw new Error(`a subscription cannot have the event ${event} in the state ${state}`);
  }
  return after;
}
