/**
 * Operations on all streams: sending everything again, disconnecting a proxy, ending all streams when
 * the daemon stops.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import type { ServerContext, Session } from "./stream/mod.ts";
import { resendAll } from "./subscription/mod.ts";

/** Sends all resources to all streams again, quarantined ones too. Returns the number of streams. */
export function pushAll(sessions: ReadonlySet<Session>, context: ServerContext): number {
  context.quarantine.clear();
  for (const session of sessions) {
    for (const subscription of session.subscriptions) resendAll(subscription);
    context.enqueue(session);
  }
  return sessions.size;
}

/** Ends the streams of a proxy, `name.namespace` or a connection id; returns their number. */
export function disconnect(sessions: ReadonlySet<Session>, proxy: string): number {
  let count = 0;
  for (const { id, node, call } of sessions) {
    if (id !== proxy && `${node.name}.${node.namespace}` !== proxy) continue;
    call.finish();
    count++;
  }
  return count;
}

/**
 * Ends streams evenly over the first half of a time, oldest first, so that clients do not all
 * reconnect at once; the second half is for slow readers. Then the streams are reset.
 */
export async function endAll(sessions: ReadonlySet<Session>, graceMs: number): Promise<void> {
  const calls = [...sessions].map((session) => session.call);
  const timer = setTimeout(() => {
    for (const call of calls) call.reset();
  }, graceMs);
  const gap = graceMs / 2 / Math.max(1, calls.length);
  for (const [i, call] of calls.entries()) {
    call.finish();
    if (gap > 0 && i < calls.length - 1) await sleep(gap);
  }
  await Promise.all(calls.map((call) => call.ended));
  clearTimeout(timer);
}
