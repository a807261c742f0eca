/**
 * What clients say to responses: acknowledgements, rejections, and how far they came by them.
 *
 * @module
 */
import { printable } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import { statusName } from "../rpc/mod.ts";
import { enqueue, type Session } from "./hall.ts";
import * as metrics from "./metrics.ts";
import { noteAccepted } from "./parts.ts";
import { accepted, isProbing, rejected } from "./rejection.ts";
import type { XdsRequest } from "./request.ts";
import { type Sent, settle, type Verdict, type Watch } from "./watch.ts";
import { TYPE_URLS } from "../model/mod.ts";

const log = scope("ads");

/** Takes in what the client says to a response, counts it, and logs a rejection. */
export function answered(session: Session, watch: Watch, request: XdsRequest): Verdict {
  const { short } = watch.type;
  const before = watch.nack;
  const { outstanding, passed } = watch;
  const sent = outstanding.find(({ nonce }) => nonce === request.nonce);
  warmed(session, watch, request);
  const verdict = settle(watch, request, session.variant, session.hall.clock());
  if (verdict === "ack" && sent) noteAccepted(watch, sent.resources);
  if (verdict === "stale") metrics.expiredNonces.inc({ type: short });
  if (verdict === "ack" && sent) accepted(session, watch, sent);
  // What it rejected stands until that is repaired, whatever it accepts meanwhile.
  if (verdict === "ack" && session.hall.quarantine.rejectedBy(session, watch.type.url)) {
    watch.nack = before;
  }
  if (before && before !== watch.nack) unmark(watch);
  const late = verdict === "stale" && request.error
    ? passed.find(({ nonce }) => nonce === request.nonce)
    : undefined;
  if (verdict === "nack" || late) refused(session, watch, (sent ?? late)!, request);
  if (sent && verdict === "ack") tell(session, watch, sent).acknowledged?.();
  if (sent) passed.length = 0;
  if (sent?.probe) enqueue(session);
  noteSettled(session, watch);
  return verdict;
}

/** Takes in a rejection. */
function refused(session: Session, watch: Watch, sent: Sent, { error }: XdsRequest): void {
  const { short } = watch.type;
  const { nack } = watch;
  const message = error?.message ?? "";
  metrics.rejects.inc({ type: short });
  const names = rejected(session, watch, sent, message);
  if (nack) {
    watch.nack = { ...nack, names: names.length > 0 ? names : nack.names };
    unmark(watch);
    watch.unmark = metrics.markRejected(short, session.node.id, statusName(nack.code));
  }
  if (names.length > 0) tell(session, watch, sent).rejected?.(message, names);
  if (sent.probe || names.length > 0) return;
  log.warn("a proxy rejected its configuration", {
    proxy: session.id,
    type: short,
    names: sent.resources.slice(0, 10).map(({ name }) => name),
    message: printable(message),
  });
}

/** Ways to tell observers what the client says to a response; those nobody listens to are missing. */
function tell(session: Session, watch: Watch, sent: Sent): {
  readonly acknowledged?: () => void;
  readonly rejected?: (message: string, names: readonly string[]) => void;
} {
  const { observer, clock } = session.hall;
  const { nonce, from, revision, time: sentAt } = sent;
  const answer = () => {
    const typeUrl = watch.type.url;
    return { stream: session, typeUrl, nonce, from, revision, sentAt, time: clock() };
  };
  return {
    ...(observer.acknowledged && { acknowledged: () => observer.acknowledged!(answer()) }),
    ...(observer.rejected && {
      rejected: (message, names) => observer.rejected!({ ...answer(), message, names }),
    }),
  };
}

/** Notes how far the client has answered what was published, and tells when it came further. */
export function noteSettled(session: Session, watch: Watch): void {
  const { hall, parcels } = session;
  if (!watch.started) return;
  let revision = watch.at;
  if (watch.outstanding.length > 0) revision = Math.min(revision, watch.outstanding[0]!.from);
  if (watch.doomed.size > 0) revision = Math.min(revision, watch.doomedFrom);
  if (isProbing(watch)) revision = Math.min(revision, watch.probeFrom);
  for (const parcel of parcels) {
    if (parcel.watch === watch) revision = Math.min(revision, parcel.from);
  }
  if (revision <= watch.settledAt) return;
  watch.settledAt = revision;
  const typeUrl = watch.type.url;
  hall.observer.settled?.({ stream: session, typeUrl, revision, time: hall.clock() });
}

/** Endpoints that the client took, or rejected, are no longer waited for. */
function warmed(session: Session, { type, outstanding }: Watch, { nonce }: XdsRequest): void {
  if (session.cold.size === 0 || type.url !== TYPE_URLS.endpoint) return;
  const known = outstanding.findIndex((sent) => sent.nonce === nonce);
  for (const { resources } of outstanding.slice(0, known + 1)) {
    for (const { name } of resources) session.cold.delete(name);
  }
  if (session.cold.size === 0) enqueue(session);
}

/** Takes the mark of a rejection out of the metrics. */
function unmark(watch: Watch): void {
  watch.unmark?.();
  watch.unmark = undefined;
}
