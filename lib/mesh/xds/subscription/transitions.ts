/**
 * Changes of a subscription by the server: views, pushes, removals, the search for rejected
 * resources. Each function is one transition; the states are in `states.ts`.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import type { OnDemand } from "../../model/mod.ts";
import type { HeldVersions } from "../wire/mod.ts";
import type { ViewSnapshot } from "./snapshot.ts";
import {
  type AnswerEvent,
  ANSWERS,
  CONTENT,
  type ContentEvent,
  next,
  REMOVALS,
  SEARCH,
} from "./states.ts";
import type { Nack, Sent, SubscriptionState, Trial } from "./state.ts";
import type { Subscription } from "./subscription.ts";

/** Responses without an answer in delta, beyond which the oldest are no longer waited for. */
const MAX_OUTSTANDING = 1000;
/** Number of superseded responses whose rejections are still matched. */
const MAX_SUPERSEDED = 16;

/** The fields of a subscription, for the modules of this folder. */
export function stateOf(subscription: Subscription): SubscriptionState {
  return subscription as SubscriptionState;
}

/** Moves the content to the state after an event. */
export function contentEvent(state: SubscriptionState, event: ContentEvent): void {
  state.content = next(CONTENT, state.content, event);
  state.started = state.content !== "initial";
  state.due = state.content !== "current";
}

/** Moves the answers to the state after an event. */
export function answerEvent(state: SubscriptionState, event: AnswerEvent): void {
  state.answer = next(ANSWERS, state.answer, event);
}

/** Something may have to be sent. */
export function contentChanged(subscription: Subscription): void {
  contentEvent(stateOf(subscription), "changed");
}

/** A name is sent with the next push, even if its resource does not change. */
export function resendName(subscription: Subscription, name: string): void {
  stateOf(subscription).requestedNames.add(name);
}

/** All resources are sent with the next push, even if they do not change. */
export function resendAll(subscription: Subscription): void {
  const state = stateOf(subscription);
  state.requestedAll = true;
  contentEvent(state, "changed");
}

/** SotW: the next request gets a response, even if it looks like an acknowledgement. */
export function respondToNext(subscription: Subscription): void {
  stateOf(subscription).respondToNext = true;
}

/** Connects the subscriptions of a stream to a type and to the type of its children. */
export function linkChildren(parents: Subscription, children: Subscription): void {
  stateOf(children).parents = stateOf(parents);
  stateOf(parents).children = stateOf(children);
}

/** A resource that the client does not know is sent: its children are to be sent, too. */
export function parentIsNew(parents: Subscription, name: string): void {
  const state = stateOf(parents);
  state.newParents.add(name);
  state.unacknowledged.add(name);
  if (state.children) contentEvent(state.children, "changed");
}

/** The client accepted a resource that has children. */
export function parentIsKnown(parents: Subscription, name: string): void {
  stateOf(parents).unacknowledged.delete(name);
}

/** Sets the resources that are sent to clients that name them. */
export function setOnDemand(subscription: Subscription, onDemand: OnDemand | undefined): void {
  stateOf(subscription).onDemand = onDemand;
}

/** Subscribes to names for the client, which does not know them yet. */
export function addNames(subscription: Subscription, names: Iterable<string>): void {
  const state = stateOf(subscription);
  for (const name of names) {
    // The names are no longer those of the first request alone.
    if (state.names.add(name)) state.listed = undefined;
  }
}

/** The client may not ask for these names. */
export function refuseNames(subscription: Subscription, names: readonly string[]): void {
  const state = stateOf(subscription);
  for (const name of names) state.refused.add(name);
}

/** Sets the names whose resources a client without the wildcard is sent unasked. */
export function setUnasked(subscription: Subscription, unasked: readonly string[]): void {
  stateOf(subscription).unasked = unasked;
}

/** Sets the resources that the client is to have. */
export function followView(subscription: Subscription, view: View | undefined): void {
  stateOf(subscription).view = view;
}

/** Replaces the versions that the client reported by equal ones. */
export function replaceVersions(subscription: Subscription, versions: HeldVersions): void {
  stateOf(subscription).versions = versions;
}

/** Stores the content that the client holds. */
export function keepSnapshot(subscription: Subscription, snapshot: ViewSnapshot | undefined): void {
  stateOf(subscription).snapshot ??= snapshot;
}

/** The client holds what was planned last. */
export function dropSnapshot(subscription: Subscription): void {
  stateOf(subscription).snapshot = undefined;
}

/** All that the client is to have of its view is planned, as of a revision; see `SubscriptionState.heldAt`. */
export function planned(subscription: Subscription, revision: number, heldAt: number): void {
  const state = stateOf(subscription);
  contentEvent(state, "planned");
  state.requestedAll = false;
  state.requestedNames.take();
  state.lost.clear();
  state.parents?.newParents.clear();
  state.versions = state.snapshot = undefined;
  // It only serves to recognise what the client holds when it connects.
  state.listed = undefined;
  state.held = state.view;
  state.at = revision;
  state.heldAt = heldAt;
}

/** A response was sent. In SotW it supersedes the one before it. */
export function responseSent(
  subscription: Subscription,
  sent: Sent,
  variant: "sotw" | "delta",
): void {
  const state = stateOf(subscription);
  if (variant === "sotw") supersede(state);
  else if (state.outstanding.length >= MAX_OUTSTANDING) state.outstanding.shift();
  state.outstanding.push(sent);
  state.last = { nonce: sent.nonce, revision: sent.revision, time: sent.time };
  state.respondToNext = false;
  answerEvent(state, "sent");
}

/** The previous response is obsolete. Only its rejection is still matched. */
function supersede(state: SubscriptionState): void {
  const last = state.outstanding.shift();
  if (!last || state.type.fullState) return;
  const { resources, removed, origin } = last;
  if (last.probe) {
    state.trials.unshift({ resources, removed, origin });
    state.search = next(SEARCH, state.search, "trial");
  } else if (state.superseded.push(last) > MAX_SUPERSEDED) {
    state.superseded.shift();
  }
}

/** The client answered a response: rejections of earlier ones are of no interest any more. */
export function forgetSuperseded(subscription: Subscription): void {
  stateOf(subscription).superseded.length = 0;
}

/** Sets the current rejection. */
export function setNack(subscription: Subscription, nack: Nack | undefined): void {
  stateOf(subscription).nack = nack;
}

/** Removes a rejection from the metrics, and stores the function that removes the next one. */
export function setMark(subscription: Subscription, unmark: (() => void) | undefined): void {
  const state = stateOf(subscription);
  state.unmark?.();
  state.unmark = unmark;
}

/** The client answered all publications up to a revision. */
export function settledUpTo(subscription: Subscription, revision: number): void {
  stateOf(subscription).settledAt = revision;
}

/** Postpones removals. `from`: the revision of the client's resources. */
export function postponeRemovals(
  subscription: Subscription,
  removals: Iterable<readonly [name: string, before: Resource | undefined]>,
  from: number,
): void {
  const state = stateOf(subscription);
  if (state.removal === "none") state.pendingRemovalsFrom = from;
  for (const [name, before] of removals) state.pendingRemovals.set(name, before);
  state.removal = next(REMOVALS, state.removal, "postponed");
}

/** Cancels pending removals of resources that exist again. */
export function revokeRemovals(subscription: Subscription): void {
  const state = stateOf(subscription);
  for (const name of state.pendingRemovals.keys()) {
    if (state.view?.get(name)) state.pendingRemovals.delete(name);
  }
  if (state.pendingRemovals.size === 0) state.removal = next(REMOVALS, state.removal, "settled");
}

/** The removals that wait are about to be sent. Returns their names. */
export function takeRemovals(subscription: Subscription): string[] {
  const state = stateOf(subscription);
  const names = [...state.pendingRemovals.keys()];
  state.pendingRemovals.clear();
  state.removal = next(REMOVALS, state.removal, "settled");
  return names;
}

/**
 * Adds responses that are sent to find rejected resources. `from`: the revision of the client's
 * resources.
 */
export function addTrials(
  subscription: Subscription,
  trials: readonly Trial[],
  from: number,
): void {
  const state = stateOf(subscription);
  state.probeFrom = state.search === "searching" ? Math.min(state.probeFrom, from) : from;
  state.trials.push(...trials);
  state.search = next(SEARCH, state.search, "trial");
}

/** Removes and returns the next response of the search. */
export function takeTrial(subscription: Subscription): Trial | undefined {
  return stateOf(subscription).trials.shift();
}

/** A response of the search is about to be sent. */
export function trialSent(subscription: Subscription): void {
  const state = stateOf(subscription);
  state.probed++;
  state.search = next(SEARCH, state.search, "sent");
}

/** No response of the search is left. */
export function searchFinished(subscription: Subscription): void {
  const state = stateOf(subscription);
  state.probed = 0;
  state.search = next(SEARCH, state.search, "finished");
}

/** The stream ended: gives its names back. */
export function close(subscription: Subscription): void {
  setMark(subscription, undefined);
  stateOf(subscription).names.clear();
}
