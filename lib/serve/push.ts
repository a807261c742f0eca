/**
 * The sending half of a session: a push is planned at one revision, and goes out parcel by parcel,
 * slice by slice, as fast as the client takes it.
 *
 * @module
 */
import type { Resource } from "../graph/mod.ts";
import { scope } from "../log/mod.ts";
import { byteLength } from "../rpc/mod.ts";
import * as metrics from "./metrics.ts";
import { drain, type Parcel, plan } from "./plan.ts";
import { probes } from "./rejection.ts";
import type { Sent, Watch } from "./watch.ts";
import { noteSettled } from "./answered.ts";
import type { Session } from "./hall.ts";
import { armDrain, armWarm, busy, drainable } from "./waits.ts";

const log = scope("ads");

/** Answers that a delta client may owe; beyond it the oldest are no longer waited for. */
const MAX_OUTSTANDING = 1000;
/** Overtaken responses of which a rejection is still understood. */
const MAX_PASSED = 16;

/**
 * Sends until nothing is left to send. When more waits in the transport than is good, it stops:
 * the promise resolves when the client caught up, and the next step goes on from there.
 */
export function step(session: Session): Promise<void> | undefined {
  const { call, hall } = session;
  while (!session.closed) {
    if (session.parcels.length === 0) {
      const now = hall.now();
      finish(session, now);
      if (!begin(session, now)) {
        caughtUp(session);
        return undefined;
      }
    }
    send(session, session.parcels[0]!);
    if (call.pending > hall.limits.pending) return call.drained();
  }
  return undefined;
}

/** Plans a push. False when there is nothing to do. */
function begin(session: Session, now: number): boolean {
  const { hall } = session;
  // It asks for another turn when it has settled.
  if (session.moving) return false;
  if (session.queuedAt !== undefined) metrics.queueTime.observe((now - session.queuedAt) / 1000);
  session.queuedAt = undefined;
  session.pushFor = session.publishedAt;
  session.publishedAt = undefined;
  const held = session.watches.map((watch) => watch.held);
  session.parcels = plan(session, hall.revision(), busy(session, now));
  session.watches.forEach((watch, i) => {
    const left = held[i];
    if (left && left !== watch.held) hall.registry.leave(session, left);
  });
  if (session.watches.some((watch) => watch.due)) {
    // The publication is not sent before what is held back is.
    session.publishedAt = session.pushFor;
    session.pushFor = undefined;
  }
  armWarm(session);
  if (session.parcels.length === 0 && drainable(session)) session.parcels = drain(session);
  armDrain(session);
  if (session.parcels.length === 0) session.parcels = probes(session);
  for (const watch of session.watches) noteSettled(session, watch);
  if (session.parcels.length === 0) return false;
  session.pushStart = now;
  return true;
}

/** What the client held earlier is of no interest any more, where nothing is due. */
function caughtUp({ watches }: Session): void {
  for (const watch of watches) if (!watch.due) watch.kept = undefined;
}

/** What the finished push took, once the transport has all of it. */
function finish(session: Session, now: number): void {
  if (session.pushStart === undefined) return;
  metrics.sendTime.observe((now - session.pushStart) / 1000);
  if (session.pushFor !== undefined) {
    metrics.convergenceTime.observe((now - session.pushFor) / 1000);
  }
  session.pushStart = session.pushFor = undefined;
}

/** Sends the next message of a parcel; after the last one, the parcel is done. */
function send(session: Session, parcel: Parcel): void {
  const { hall, variant } = session;
  const { watch } = parcel;
  const { resources, removed, last } = variant === "sotw"
    ? { resources: parcel.resources, removed: [], last: true }
    : slice(session, parcel);
  const nonce = session.noncePrefix + (++session.nonces).toString(36);
  const version = String(watch.at);
  const message = watch.encoder.encode({ resources, removed, nonce, version });
  const { short } = watch.type;
  metrics.pushes.inc({ type: short });
  const bytes = byteLength(message);
  metrics.configSize.observe({ type: short }, bytes);
  // In SotW a client answers the latest response for all before it.
  const from = (variant === "sotw" ? watch.outstanding[0]?.from : undefined) ?? parcel.from;
  const { origin, probe = false } = parcel;
  const time = hall.clock();
  const sent: Sent = {
    nonce,
    from,
    revision: watch.at,
    time,
    resources,
    removed: watch.type.atomic ? removed : [],
    origin,
    probe,
  };
  if (variant === "sotw") pass(watch);
  else if (watch.outstanding.length >= MAX_OUTSTANDING) watch.outstanding.shift();
  watch.outstanding.push(sent);
  watch.last = { nonce, revision: sent.revision, time: sent.time };
  watch.answerNext = false;
  session.call.send(message);
  const now = session.lastTalk = hall.now();
  const typeUrl = watch.type.url;
  const { revision } = sent;
  hall.observer.sent?.(
    { stream: session, typeUrl, nonce, from, revision, resources, removed, bytes, time },
  );
  // Asked first: this is where every byte to every proxy passes.
  if (log.enabled("debug")) {
    const counts = { resources: resources.length, removed: removed.length };
    log.debug("pushed", { proxy: session.id, type: short, nonce, ...counts });
  }
  if (!last) return;
  session.parcels.shift();
  session.sentResources = session.sentRemoved = 0;
  metrics.pushTime.observe({ type: short }, (now - (session.pushStart ?? 0)) / 1000);
}

/** SotW: what was sent before counts no more; only a rejection of it is of interest. */
function pass({ outstanding, passed, probes, type }: Watch): void {
  const last = outstanding.shift();
  if (!last || type.fullState) return;
  const { resources, removed, origin } = last;
  if (last.probe) probes.unshift({ resources, removed, origin });
  else if (passed.push(last) > MAX_PASSED) passed.shift();
}

/** The next resources and names of a parcel that fit into one response; at least one. */
function slice(
  session: Session,
  { watch, resources, removed }: Parcel,
): { resources: readonly Resource[]; removed: readonly string[]; last: boolean } {
  const limit = watch.type.atomic ? Infinity : session.hall.limits.slice;
  let size = 0;
  let to = session.sentResources;
  while (to < resources.length) {
    size += watch.encoder.size(resources[to]!);
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
