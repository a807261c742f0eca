/**
 * What waits for a client rather than for a turn: removals for quiet, and what refers to new
 * clusters for their endpoints.
 *
 * @module
 */
import { enqueue, type Session } from "../session/context.ts";

/** Sees to it that nothing waits for ever for clusters to become warm: a client need not ask for endpoints. */
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
 * Removals wait, and may go: everything sent was answered and the stream has been quiet, or they
 * waited as long as they may. The quiet matters because a listener is acknowledged before it is
 * warm, and until it is warm the one it replaces is in use.
 */
export function drainable(session: Session): boolean {
  return session.pendingRemovalsSince !== undefined && drainWait(session) <= 0;
}

/** Time until removals may go, as far as is known now, milliseconds. */
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

/** Something was sent, is not answered, or was said just now: what is removed may still be referred to. */
export function busy({ subscriptions, context, lastMessageAt }: Session, now: number): boolean {
  return now - lastMessageAt < context.limits.settleMs ||
    subscriptions.some((subscription) => subscription.outstanding.length > 0);
}
