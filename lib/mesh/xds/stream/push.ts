/**
 * The sending half of a session: a push is planned at one revision and sent response by response,
 * slice by slice, as fast as the client reads.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { byteLength } from "../../../kit/rpc/mod.ts";
import * as metrics from "../metrics.ts";
import { drain, type PendingResponse, plan } from "./plan.ts";
import { noteSettled } from "./acknowledgement.ts";
import type { Session } from "./context.ts";
import { probes } from "./culprit_search.ts";
import { armDrain, armWarm, busy, drainable } from "./push_timers.ts";
import { dropSnapshot, responseSent, type Sent } from "../subscription/mod.ts";

const log = scope("ads");

/**
 * Sends until everything is sent. If too much waits in the transport, it stops: the promise
 * resolves when the client has caught up, and the next step continues there.
 */
export function step(session: Session): Promise<void> | undefined {
  const { call, context } = session;
  while (!session.closed) {
    if (session.pendingResponses.length === 0) {
      const now = context.now();
      finish(session, now);
      if (!begin(session, now)) {
        caughtUp(session);
        return undefined;
      }
    }
    send(session, session.pendingResponses[0]!);
    if (call.pending > context.limits.pending) return call.drained();
  }
  return undefined;
}

/** Plans a push. False when there is nothing to do. */
function begin(session: Session, now: number): boolean {
  const { context } = session;
  // It enqueues itself again when the rebinding is complete.
  if (session.rebinding) return false;
  if (session.queuedAt !== undefined) metrics.queueTime.observe((now - session.queuedAt) / 1000);
  session.queuedAt = undefined;
  session.pushFor = session.publishedAt;
  session.publishedAt = undefined;
  const held = session.subscriptions.map((subscription) => subscription.held);
  session.pendingResponses = plan(session, context.revision(), busy(session, now));
  session.subscriptions.forEach((subscription, i) => {
    const left = held[i];
    if (left && left !== subscription.held) context.registry.leave(session, left);
  });
  if (session.subscriptions.some((subscription) => subscription.due)) {
    // The publication is not sent completely: something waits for new clusters.
    session.publishedAt = session.pushFor;
    session.pushFor = undefined;
  }
  armWarm(session);
  if (session.pendingResponses.length === 0 && drainable(session)) {
    session.pendingResponses = drain(session);
  }
  armDrain(session);
  if (session.pendingResponses.length === 0) session.pendingResponses = probes(session);
  for (const subscription of session.subscriptions) noteSettled(session, subscription);
  if (session.pendingResponses.length === 0) return false;
  session.pushStart = now;
  return true;
}

/** Clears the client's earlier state when nothing is pending. */
function caughtUp({ subscriptions }: Session): void {
  for (const subscription of subscriptions) if (!subscription.due) dropSnapshot(subscription);
}

/** Records the duration of the finished push when the transport has taken all of it. */
function finish(session: Session, now: number): void {
  if (session.pushStart === undefined) return;
  metrics.sendTime.observe((now - session.pushStart) / 1000);
  if (session.pushFor !== undefined) {
    metrics.convergenceTime.observe((now - session.pushFor) / 1000);
  }
  session.pushStart = session.pushFor = undefined;
}

/** Sends the next message of a pendingResponse; after the last one, the pendingResponse is done. */
function send(session: Session, pendingResponse: PendingResponse): void {
  const { context, variant } = session;
  const { subscription } = pendingResponse;
  const { resources, removed, last } = variant === "sotw"
    ? { resources: pendingResponse.resources, removed: [], last: true }
    : slice(session, pendingResponse);
  const nonce = session.noncePrefix + (++session.nonces).toString(36);
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
  const now = session.lastMessageAt = context.now();
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
  session.pendingResponses.shift();
  session.sentResources = session.sentRemoved = 0;
  metrics.pushTime.observe({ type: short }, (now - (session.pushStart ?? 0)) / 1000);
}

/** The next resources and names of a pendingResponse that fit into one response; at least one. */
function slice(
  session: Session,
  { subscription, resources, removed }: PendingResponse,
): { resources: readonly Resource[]; removed: readonly string[]; last: boolean } {
  const limit = subscription.type.atomic ? Infinity : session.context.limits.slice;
  let size = 0;
  let to = session.sentResources;
  while (to < resources.length) {
    size += subscription.encoder.size(resources[to]!);
    if (size > limit && to > session.sentResources) break;
    to++;
  }
  const complete = to === resources.length;
  let toRemoved = session.sentRemoved;
  while (complete && toRemoved < removed.length && size < limit) {
    size += removed[toRemoved++]!.length + 4;
  }
  const part = {
    resources: to - session.sentResources === resources.length
      ? resources
      : resources.slice(session.sentResources, to),
    removed: removed.slice(session.sentRemoved, toRemoved),
    last: complete && toRemoved === removed.length,
  };
  session.sentResources = to;
  session.sentRemoved = toRemoved;
  return part;
}
