/**
 * Changes of a subscription by requests of the client.
 *
 * @module
 */
import type { XdsRequest } from "../wire/mod.ts";
import type { SubscriptionState } from "./state.ts";
import { loseFound } from "./aliases.ts";
import { type Subscription, wants } from "./subscription.ts";
import { answerEvent, contentEvent, stateOf } from "./transitions.ts";

/** The name for all resources. */
const ALL = "*";

/**
 * Applies the names of a SotW request, which has all of them. `first`: it is the first request of
 * the subscription.
 */
export function subscribeSotw(
  subscription: Subscription,
  request: XdsRequest,
  first: boolean,
): void {
  const state = stateOf(subscription);
  const { names } = request;
  const empty = names.length === 0;
  if (first) {
    state.implicit = empty && state.type.wildcard;
    state.wildcard = state.implicit || names.includes(ALL);
    for (const name of names) if (name !== ALL) state.names.add(name);
    state.requestedAll = true;
    contentEvent(state, "changed");
    return;
  }
  if (!(empty && state.implicit)) replaceNames(state, names);
  if (request.nonce === "" || (!state.due && state.respondToNext)) {
    state.requestedAll = true;
    contentEvent(state, "changed");
  }
}

/** Notes the names that a superseded SotW request leaves out. */
export function noteSuperseded(subscription: Subscription, request: XdsRequest): void {
  const state = stateOf(subscription);
  const wanted = new Set(request.names);
  for (const name of state.names) if (!wanted.has(name)) state.forgotten.add(name);
}

function replaceNames(state: SubscriptionState, names: readonly string[]): void {
  const star = names.includes(ALL);
  if (star && !state.wildcard) {
    state.requestedAll = true;
    contentEvent(state, "changed");
  }
  state.wildcard = star;
  state.implicit = false;
  for (const name of names) {
    if (name === ALL) continue;
    const isNew = state.names.add(name);
    if (!isNew && !state.forgotten.has(name)) continue;
    state.requestedNames.add(name);
    contentEvent(state, "changed");
  }
  state.forgotten.clear();
  if (state.names.size === names.length - (star ? 1 : 0)) return;
  const wanted = new Set(names);
  for (const name of state.names) if (!wanted.has(name)) state.names.delete(name);
}

/** Least length of a list of names that streams share. */
const SHARED_LEAST = 32;

/** Applies the names that a delta request subscribes to and unsubscribes from. */
export function subscribeDelta(
  subscription: Subscription,
  request: XdsRequest,
  first: boolean,
): void {
  const state = stateOf(subscription);
  const changes = request.names.length + request.unsubscribe.length > 0;
  if (changes) state.listed = undefined;
  // Once for all names: a proxy subscribes to hundreds in one request.
  if (first || request.names.length > 0) contentEvent(state, "changed");
  if (first) {
    state.implicit = request.names.length === 0 && state.type.wildcard;
    state.wildcard = state.implicit;
    state.versions = request.versions;
    if (isPlainList(request) && !state.type.aliased) {
      state.names.adopt(request.names);
      state.listed = request.names;
      return;
    }
  } else if (isPlainList(request) && !state.type.aliased) {
    state.names.addAll(request.names);
    state.requestedNames.adopt(request.names);
    return;
  }
  for (const name of request.names) {
    if (name === ALL) {
      if (!state.wildcard && !first) state.requestedAll = true;
      state.wildcard = true;
    } else {
      state.names.add(name);
      if (!first) state.requestedNames.add(name);
    }
  }
  for (const name of request.unsubscribe) {
    if (name === ALL) {
      state.wildcard = false;
    } else if (state.names.delete(name) && wants(state, name)) {
      // The wildcard still has it, so the client is sent the resource, or its removal.
      state.requestedNames.add(name);
      contentEvent(state, "changed");
    } else {
      state.requestedNames.delete(name);
    }
  }
  if (state.type.aliased) settleFound(state, request, first);
}

/** Keeps what further names find in step with the names. */
function settleFound(state: SubscriptionState, request: XdsRequest, first: boolean): void {
  if (state.wildcard) return;
  // A client that returns still subscribes to what it holds, whichever name had found it.
  if (first) { for (const name of request.versions?.names() ?? []) state.names.add(name); }
  for (const name of request.unsubscribe) loseFound(state, name);
  if (state.lost.size > 0) contentEvent(state, "changed");
}

function isPlainList({ names, unsubscribe }: XdsRequest): boolean {
  return names.length >= SHARED_LEAST && unsubscribe.length === 0 && !names.includes(ALL);
}

/**
 * Answer of a request to a response: none, ACK or NACK, or to a response that is not the latest.
 */
export type AckResult = "none" | "ack" | "nack" | "stale";

/** Applies the answer of a request to a response. `time`: milliseconds since the epoch. */
export function settle(
  subscription: Subscription,
  request: XdsRequest,
  variant: "sotw" | "delta",
  time: number,
): AckResult {
  const state = stateOf(subscription);
  const { nonce, error } = request;
  if (nonce === "") return "none";
  const known = state.outstanding.findIndex((sent) => sent.nonce === nonce);
  if (known < 0) return nonce === state.last?.nonce ? "none" : "stale";
  if (variant === "sotw" && nonce !== state.last?.nonce) return "stale";
  const sent = state.outstanding[known]!;
  state.outstanding.splice(0, known + 1);
  const isLatest = state.outstanding.length === 0;
  answerEvent(state, !isLatest ? "partly" : error ? "rejected" : "accepted");
  if (!error) {
    state.acked = { nonce, revision: sent.revision, time };
    state.nack = undefined;
    return "ack";
  }
  const names = sent.resources.map((resource) => resource.name);
  state.nack = { nonce, time, code: error.code, message: error.message, names };
  return "nack";
}
