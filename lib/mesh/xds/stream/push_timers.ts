/**
 * Work that waits for a client: removals for idle time, and resources that refer to new clusters for
 * their endpoints.
 *
 * @module
 */
import { answerWait } from "./plan.ts";
import { enqueue, type Session } from "./session.ts";

/** Limits the wait for warm clusters, because a client need not subscribe to endpoints. */
export function armWarm(session: Session): void {
  session.warming.limit(session.context.limits.warmMs, () => enqueue(session));
}

/** Limits the wait for answers, because a client may be slow or silent. */
export function armAnswers(session: Session): void {
  const waits = session.subscriptions.map((one) => one.due ? answerWait(session, one) : 0);
  session.answers.limit(Math.max(0, ...waits), () => enqueue(session));
}

/**
 * Reports if pending removals may be sent: all responses were answered and the stream has been
 * idle, or the maximum wait is over. The idle time matters because a listener is acknowledged
 * before it is warm, and until then the previous one is in use.
 */
export function drainable(session: Session): boolean {
  return (drainWait(session) ?? Infinity) <= 0;
}

/** Milliseconds until removals may be sent, as far as known; `undefined` if none waits. */
function drainWait({ subscriptions, context, warming, removals }: Session): number | undefined {
  const isAnswered = !warming.isCold &&
    subscriptions.every((subscription) => subscription.outstanding.length === 0);
  return removals.left(context.now(), isAnswered, context.limits);
}

/** Sees to it that removals which wait get their turn. */
export function armDrain(session: Session): void {
  const { subscriptions, context, removals } = session;
  removals.stop();
  if (!subscriptions.some((subscription) => subscription.pendingRemovals.size > 0)) {
    return removals.end();
  }
  removals.begin(context.now());
  const wait = drainWait(session) ?? 0;
  if (wait <= 0) return enqueue(session);
  removals.later(Math.max(1, wait), () => armDrain(session));
}

/**
 * True if a response is unanswered or a message was exchanged just now: removed resources may still
 * be referred to.
 */
export function busy({ subscriptions, context, removals }: Session, now: number): boolean {
  return removals.isLively(now, context.limits) ||
    subscriptions.some((subscription) => subscription.outstanding.length > 0);
}
