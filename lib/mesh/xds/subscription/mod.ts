/**
 * Subscriptions: the state of one resource type in one stream. State of the world (SotW) and
 * delta, wildcard and named subscriptions, nonces, what was sent and acknowledged, and the
 * difference that is still to be sent. The states and transitions are data in `states.ts`;
 * `docs/serving.md` explains them.
 *
 * @module
 */
export { type Change, collect, wanted } from "./changes.ts";
export { connect, isPremature, noteAcknowledged, noteRequested } from "./child_resources.ts";
export { isShared, matchExpected } from "./expected_state.ts";
export { type NameTable, nameTable } from "./names.ts";
export {
  type AckResult,
  noteSuperseded,
  settle,
  subscribeDelta,
  subscribeSotw,
} from "./requests.ts";
export { snapshots, type SnapshotStore } from "./snapshot.ts";
export type { Nack, Origin, Sent, Trial } from "./state.ts";
export { newSubscription, type Subscription, wants, wantsAll } from "./subscription.ts";
export {
  addNames,
  addTrials,
  close,
  contentChanged,
  dropSnapshot,
  followView,
  forgetSuperseded,
  keepSnapshot,
  postponeRemovals,
  refuseNames,
  resendAll,
  resendName,
  respondToNext,
  responseSent,
  revokeRemovals,
  searchFinished,
  setMark,
  setNack,
  setOnDemand,
  settledUpTo,
  setUnasked,
  takeRemovals,
  takeTrial,
  trialSent,
} from "./transitions.ts";
