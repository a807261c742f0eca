/**
 * The sending half of a session: a push is planned at one revision and sent response by response,
 * slice by slice, as fast as the client reads.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import { byteLength } from "../../../kit/rpc/mod.ts";
import * as metrics from "../metrics.ts";
import { drain, plan } from "./plan.ts";
import { noteSettled } from "./acknowledgement.ts";
import type { PendingResponse } from "./pending_response.ts";
import type { Session } from "./session.ts";
import { probes } from "./culprit_search.ts";
import { armAnswers, armDrain, armWarm, busy, drainable } from "./push_timers.ts";
import { dropSnapshot, responseSent, type Sent } from "../subscription/mod.ts";

const log = scope("ads");

/**
 * Sends until everything is sent. If too much waits in the transport, it stops: the promise
 * resolves when the client has caught up, and the next step continues there.
 */
export function step(session: Session): Promise<void> | undefined {
  const { call, context } = session;
  while (!session.closed) {
    if (session.push.responses.length === 0) {
      const now = context.now();
      finish(session, now);
      if (!begin(session, now)) {
        caughtUp(session);
        return undefined;
      }
    }
    send(session, session.push.responses[0]!);
    if (call.pending > context.limits.pending) return call.drained();
  }
  return undefined;
}

/** Plans a push. False when there is nothing to do. */
function begin(session: Session, now: number): boolean {
  const { context, push } = session;
  // It enqueues itself again when the rebinding is complete.
  if (session.rebinding) return false;
  const waited = push.begin(now);
  if (waited !== undefined) metrics.queueTime.observe(waited / 1000);
  const held = session.subscriptions.map((subscription) => subscription.held);
  let responses = plan(session, context.revision(), busy(session, now));
  session.subscriptions.forEach((subscription, i) => {
    const left = held[i];
    if (left && left !== subscription.held) context.registry.leave(session, left);
  });
  // Something waits for new clusters.
  if (session.subscriptions.some((subscription) => subscription.due)) push.postpone();
  armWarm(session);
  armAnswers(session);
  if (responses.length === 0 && drainable(session)) responses = drain(session);
  armDrain(session);
  if (responses.length === 0) responses = probes(session);
  push.planned(responses, now);
  for (const subscription of session.subscriptions) noteSettled(session, subscription);
  return responses.length > 0;
}

/** Clears the client's earlier state when nothing is pending. */
function caughtUp({ subscriptions }: Session): void {
  for (const subscription of subscriptions) if (!subscription.due) dropSnapshot(subscription);
}

/** Records the duration of the finished push when the transport has taken all of it. */
function finish({ push }: Session, now: number): void {
  const times = push.finish();
  if (times === undefined) return;
  metrics.sendTime.observe((now - times.startedAt) / 1000);
  if (times.publishedAt !== undefined) {
    metrics.convergenceTime.observe((now - times.publishedAt) / 1000);
  }
}

/** Sends the next message of a pendingResponse; after the last one, the pendingResponse is done. */
function send(session: Session, pendingResponse: PendingResponse): void {
  const { context, variant } = session;
  const { subscription } = pendingResponse;
  const { resources, removed, last } = variant === "sotw"
    ? { resources: pendingResponse.resources, removed: [], last: true }
    : session.push.takeSlice(subscription.type.atomic ? Infinity : context.limits.slice);
  const nonce = session.nextNonce();
  const version = String(subscription.at);
  const message = subscription.encoder.encode({ resources, removed, nonce, version });
  const { short } = subscription.type;
  metrics.pushes.inc({ type: short });
  const bytes = byteLength(message);
  metrics.configSize.observe({ type: short }, bytes);
  // In SotW a client answers the latest response for all before it.
  const from = (variant === "sotw" ? subscription.outstanding[0]?.from : undefined) ??
    pendingResponse.from;
  const { origin, probe = false } = pendingResponse;
  const time = context.clock();
  const sent: Sent = {
    nonce,
    from,
    revision: subscription.at,
    time,
    resources,
    removed: subscription.type.atomic ? removed : [],
    origin,
    probe,
  };
  responseSent(subscription, sent, variant);
  session.call.send(message);
  const now = context.now();
  session.removals.messagePassed(now);
  const typeUrl = subscription.type.url;
  const { revision } = sent;
  context.observer.sent?.(
    { stream: session, typeUrl, nonce, from, revision, resources, removed, bytes, time },
  );
  // Asked first: this is where every byte to every proxy passes.
  if (log.enabled("debug")) {
    const counts = { resources: resources.length, removed: removed.length };
    log.debug("pushed", { proxy: session.id, type: short, nonce, ...counts });
  }
  if (!last) return;
  session.push.responseSent();
  metrics.pushTime.observe({ type: short }, (now - (session.push.startedAt ?? 0)) / 1000);
}
