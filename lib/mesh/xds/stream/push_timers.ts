/**
 * Timers for work that waits for a client: removals for idle time, and resources that refer to new
 * clusters for their endpoints.
 *
 * @module
 */
import { enqueue, type Session } from "./context.ts";

/** Limits the wait for warm clusters, because a client need not subscribe to endpoints. */
export function armWarm(session: Session): void {
  const { cold, context } = session;
  if (cold.size === 0) {
    if (session.warmTimer !== undefined) clearTimeout(session.warmTimer);
    session.warmTimer = undefined;
    return;
  }
  session.warmTimer ??= setTimeout(() => {
    session.warmTimer = undefined;
    cold.clear();
    enqueue(session);
  }, context.limits.warmMs);
}

/**
 * Reports if pending removals may be sent: all responses were answered and the stream has been
 * idle, or the maximum wait is over. The idle time matters because a listener is acknowledged
 * before it is warm, and until then the previous one is in use.
 */
export function drainable(session: Session): boolean {
  return session.pendingRemovalsSince !== undefined && drainWait(session) <= 0;
}

/** Returns the time until removals may be sent, as far as known, milliseconds. */
function drainWait(
  { subscriptions, context, lastMessageAt, cold, pendingRemovalsSince = 0 }: Session,
): number {
  const now = context.now();
  const latest = pendingRemovalsSince + context.limits.drainMs - now;
  const isAnswered = cold.size === 0 &&
    subscriptions.every((subscription) => subscription.outstanding.length === 0);
  return isAnswered ? Math.min(latest, lastMessageAt + context.limits.settleMs - now) : latest;
}

/** Sees to it that removals which wait get their turn. */
export function armDrain(session: Session): void {
  const { subscriptions, context } = session;
  if (session.drainTimer !== undefined) clearTimeout(session.drainTimer);
  session.drainTimer = undefined;
  if (!subscriptions.some((subscription) => subscription.pendingRemovals.size > 0)) {
    session.pendingRemovalsSince = undefined;
    return;
  }
  session.pendingRemovalsSince ??= context.now();
  if (drainable(session)) return enqueue(session);
  session.drainTimer = setTimeout(() => armDrain(session), Math.max(1, drainWait(session)));
}

/**
 * True if a response is unanswered or a message was exchanged just now: removed resources may still
 * be referred to.
 */
export function busy({ subscriptions, context, lastMessageAt }: Session, now: number): boolean {
  return now - lastMessageAt < context.limits.settleMs ||
    subscriptions.some((subscription) => subscription.outstanding.length > 0);
}
