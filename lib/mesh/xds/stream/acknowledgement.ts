/**
 * Responses of clients: acknowledgements, rejections, and the acknowledged revision.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { statusName } from "../../../kit/rpc/mod.ts";
import { enqueue, type Session } from "./session.ts";
import * as metrics from "../metrics.ts";
import {
  type AckResult,
  forgetSuperseded,
  noteAcknowledged,
  type Sent,
  setMark,
  setNack,
  settle,
  settledUpTo,
  type Subscription,
} from "../subscription/mod.ts";
import { accepted, isProbing, rejected } from "./culprit_search.ts";
import type { XdsRequest } from "../wire/mod.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const log = scope("ads");

/** Processes the client's answer to a response, counts it, and logs a rejection. */
export function acknowledge(
  session: Session,
  subscription: Subscription,
  request: XdsRequest,
): AckResult {
  const { short } = subscription.type;
  const before = subscription.nack;
  const { outstanding, superseded } = subscription;
  const sent = outstanding.find(({ nonce }) => nonce === request.nonce);
  warmed(session, subscription, request);
  const verdict = settle(subscription, request, session.variant, session.context.clock());
  if (verdict === "ack" && sent) noteAcknowledged(subscription, sent.resources);
  if (verdict === "stale") metrics.expiredNonces.inc({ type: short });
  if (verdict === "ack" && sent) accepted(session, subscription, sent);
  // A rejection remains until it is repaired, even if the client accepts other responses.
  if (verdict === "ack" && session.context.quarantine.rejectedBy(session, subscription.type.url)) {
    setNack(subscription, before);
  }
  if (before && before !== subscription.nack) setMark(subscription, undefined);
  const late = verdict === "stale" && request.error
    ? superseded.find(({ nonce }) => nonce === request.nonce)
    : undefined;
  if (verdict === "nack" || late) refused(session, subscription, (sent ?? late)!, request);
  if (sent && verdict === "ack") notifier(session, subscription, sent).acknowledged?.();
  if (sent) forgetSuperseded(subscription);
  if (sent?.probe) enqueue(session);
  noteSettled(session, subscription);
  return verdict;
}

/** Processes a rejection. */
function refused(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  { error }: XdsRequest,
): void {
  const { short } = subscription.type;
  const { nack } = subscription;
  const message = error?.message ?? "";
  metrics.rejects.inc({ type: short });
  // Configuration clients keep their last good object themselves, so nothing is withheld from them.
  const names = subscription.type.servedTo === "configuration clients"
    ? []
    : rejected(session, subscription, sent, message);
  if (nack) {
    setNack(subscription, { ...nack, names: names.length > 0 ? names : nack.names });
    setMark(subscription, metrics.markRejected(short, session.node.id, statusName(nack.code)));
  }
  if (names.length > 0) notifier(session, subscription, sent).rejected?.(message, names);
  if (sent.probe || names.length > 0) return;
  log.warn("a proxy rejected its configuration", {
    proxy: session.id,
    type: short,
    names: sent.resources.slice(0, 10).map(({ name }) => name),
    message: printable(message),
  });
}

/**
 * Returns functions that notify observers of the client's answer; events without observers have
 * none.
 */
function notifier(session: Session, subscription: Subscription, sent: Sent): {
  readonly acknowledged?: () => void;
  readonly rejected?: (message: string, names: readonly string[]) => void;
} {
  const { observer, clock } = session.context;
  const { nonce, from, revision, time: sentAt } = sent;
  const answer = () => {
    const typeUrl = subscription.type.url;
    return { stream: session, typeUrl, nonce, from, revision, sentAt, time: clock() };
  };
  return {
    ...(observer.acknowledged && { acknowledged: () => observer.acknowledged!(answer()) }),
    ...(observer.rejected && {
      rejected: (message, names) => observer.rejected!({ ...answer(), message, names }),
    }),
  };
}

/** Records the revision that the client has answered, and notifies observers if it advanced. */
export function noteSettled(session: Session, subscription: Subscription): void {
  const { context, push } = session;
  if (!subscription.started) return;
  let revision = subscription.at;
  if (subscription.outstanding.length > 0) {
    revision = Math.min(revision, subscription.outstanding[0]!.from);
  }
  if (subscription.pendingRemovals.size > 0) {
    revision = Math.min(revision, subscription.pendingRemovalsFrom);
  }
  if (isProbing(subscription)) revision = Math.min(revision, subscription.probeFrom);
  for (const pendingResponse of push.responses) {
    if (pendingResponse.subscription === subscription) {
      revision = Math.min(revision, pendingResponse.from);
    }
  }
  if (revision <= subscription.settledAt) return;
  settledUpTo(subscription, revision);
  const typeUrl = subscription.type.url;
  context.observer.settled?.({ stream: session, typeUrl, revision, time: context.clock() });
}

/** Endpoints that the client took, or rejected, are no longer waited for. */
function warmed(
  session: Session,
  { type, outstanding }: Subscription,
  { nonce }: XdsRequest,
): void {
  const { warming } = session;
  if (!warming.isCold || type.url !== TYPE_URLS.endpoint) return;
  const known = outstanding.findIndex((sent) => sent.nonce === nonce);
  for (const { resources } of outstanding.slice(0, known + 1)) {
    for (const { name } of resources) warming.arrived(name);
  }
  if (!warming.isCold) enqueue(session);
}
