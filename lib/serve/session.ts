/**
 * One stream: its requests go into watches, what is due in them goes out as responses.
 *
 * @module
 */
import type { View } from "../graph/mod.ts";
import type { ProxyNode, Seat } from "../model/mod.ts";
import { printable } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import { type RpcCall, RpcError, statusName } from "../rpc/mod.ts";
import type { Haste } from "./line.ts";
import * as metrics from "./metrics.ts";
import type { NameTable } from "./names.ts";
import type { Culprit, Quarantine } from "./quarantine.ts";
import { accepted, isProbing, rejected, screened, shown } from "./rejection.ts";
import type { XdsObserver } from "./observe.ts";
import { connect, noteAccepted, noteAsked } from "./parts.ts";
import type { Parcel, Planned } from "./plan.ts";
import type { Registry } from "./registry.ts";
import { tooManyNames, type XdsRequest } from "./request.ts";
import type { ResponseEncoder } from "./response.ts";
import { ENDPOINT_TYPE, resourceType } from "./types.ts";
import {
  type Nack,
  newWatch,
  overtaken,
  type Sent,
  settle,
  subscribeDelta,
  subscribeSotw,
  type Verdict,
  type Watch,
} from "./watch.ts";

const log = scope("ads");

/** What sessions share. */
export interface Hall {
  readonly names: NameTable;
  readonly registry: Registry<Session>;
  /** Revision of the last publication. */
  readonly revision: () => number;
  /** Milliseconds, monotonic, with fractions. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** When that came in which is published now; by `now`. */
  readonly changedAt: () => number;
  /** The encoder of a type, shared when the type is served. */
  readonly encoder: (
    typeUrl: string,
    variant: "sotw" | "delta",
    served: boolean,
  ) => ResponseEncoder;
  /** Asks for a turn to send. */
  readonly enqueue: (session: Session) => void;
  readonly quarantine: Quarantine;
  /** Configuration objects that a resource comes from. */
  readonly culprits: (view: View, name: string) => readonly Culprit[];
  /** Who watches. */
  readonly observer: XdsObserver;
  /** What streams saw before they moved, gathered until the publication that moved them is told. */
  readonly moves: Map<Watch, { readonly session: Session; readonly before: View | undefined }>;
  /** Says once that a type is not served. */
  readonly unserved: (session: Session, typeUrl: string) => void;
  readonly limits: {
    /** Names one stream may ask for. */
    readonly maxNames: number;
    /** Types one stream may ask for. */
    readonly maxTypes: number;
    /** Bytes of resources in one delta response, about. */
    readonly slice: number;
    /** Bytes that may wait in the transport before the session waits too. */
    readonly pending: number;
    /** Quiet time on the stream before removals go out, milliseconds. */
    readonly settleMs: number;
    /** Longest time removals wait, for quiet and for acknowledgements, milliseconds. */
    readonly drainMs: number;
    /** Longest time that what refers to new clusters waits for their endpoints to be taken, milliseconds. */
    readonly warmMs: number;
  };
}

/** A connected proxy's stream. */
export interface Session extends Planned {
  readonly hall: Hall;
  readonly call: RpcCall;
  readonly node: ProxyNode;
  readonly seat: Seat;
  /** `<name>.<namespace>-<number>`. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  /** Begin of all nonces of this stream; no other stream has it. */
  readonly noncePrefix: string;
  readonly watches: Watch[];
  nonces: number;
  /** What is being sent, and how far it got. */
  parcels: Parcel[];
  sentResources: number;
  sentRemoved: number;
  /** When the running push began, by `hall.now()`; `undefined` between pushes. */
  pushStart: number | undefined;
  /** When the publication came that the running push is about, if it is about one. */
  pushFor: number | undefined;
  /** When the session last began to wait for its turn. */
  queuedAt: number | undefined;
  /** When the oldest publication came that no push was begun for. */
  publishedAt: number | undefined;
  /** When the last message went by, in either direction; `hall.now()`. */
  lastTalk: number;
  /** Since when removals wait, `hall.now()`, and what looks after them. */
  doomedSince: number | undefined;
  drainTimer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait for new clusters to become warm. */
  warmTimer: ReturnType<typeof setTimeout> | undefined;
  closed: boolean;
}

/** What a session is opened with. */
export type Arrival = Pick<Session, "hall" | "call" | "variant" | "node" | "id" | "noncePrefix">;

/** A session without watches. The seat is taken by `sit`, which is handed what to call when it moves. */
export function newSession(arrival: Arrival, sit: (onMove: () => void) => Seat): Session {
  const session: Session = {
    ...arrival,
    seat: sit(() => move(session)),
    connectedAt: arrival.hall.clock(),
    watches: [],
    early: new Set(),
    cold: new Set(),
    screened: (change) => screened(session, change),
    shown: (watch, resources) => shown(session, watch, resources),
    hasEndpoints: (name) => !!session.seat.view(ENDPOINT_TYPE)?.get(name),
    nonces: 0,
    parcels: [],
    sentResources: 0,
    sentRemoved: 0,
    pushStart: undefined,
    pushFor: undefined,
    queuedAt: undefined,
    publishedAt: undefined,
    lastTalk: -Infinity,
    doomedSince: undefined,
    drainTimer: undefined,
    warmTimer: undefined,
    closed: false,
  };
  return session;
}

/** Takes in a request. Throws `RpcError` for one that ends the stream. */
export function receive(session: Session, request: XdsRequest): void {
  if (request.typeUrl === "") throw new RpcError("INVALID_ARGUMENT", "the request names no type");
  const known = session.watches.find(({ type }) => type.url === request.typeUrl);
  const watch = known ?? open(session, request.typeUrl);
  const verdict = known ? answered(session, watch, request) : "none";
  // A stale SotW request is overtaken: the client repeats its list when it sees the latest response.
  if (session.variant === "delta") {
    subscribeDelta(watch, request, !known);
    noteAsked(watch, request.names);
  } else if (verdict === "stale") overtaken(watch, request);
  else subscribeSotw(watch, request, !known);
  checkNames(session);
  session.lastTalk = session.hall.now();
  if (watch.due) enqueue(session);
  armDrain(session);
}

function open(session: Session, typeUrl: string): Watch {
  const { hall, watches, variant } = session;
  if (watches.length >= hall.limits.maxTypes) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `more than ${hall.limits.maxTypes} resource types are asked for`,
    );
  }
  const view = session.seat.view(typeUrl);
  const encoder = hall.encoder(typeUrl, variant, view !== undefined);
  const watch = newWatch(resourceType(typeUrl), encoder, hall.names);
  if (variant === "delta") {
    connect(watches, watch);
    watch.onDemand = session.seat.onDemand?.(typeUrl);
  }
  look(session, watch, view);
  if (!view) hall.unserved(session, typeUrl);
  const after = watches.findIndex((other) => other.type.order > watch.type.order);
  watches.splice(after < 0 ? watches.length : after, 0, watch);
  return watch;
}

/** Takes in what the client says to a response, counts it, and logs a rejection. */
function answered(session: Session, watch: Watch, request: XdsRequest): Verdict {
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
  if (before && before !== watch.nack) markRejected(session, watch, before, false);
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
    markRejected(session, watch, nack, true);
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
  if (session.cold.size === 0 || type.url !== ENDPOINT_TYPE) return;
  const known = outstanding.findIndex((sent) => sent.nonce === nonce);
  for (const { resources } of outstanding.slice(0, known + 1)) {
    for (const { name } of resources) session.cold.delete(name);
  }
  if (session.cold.size === 0) enqueue(session);
}

/** Sees to it that nothing waits for ever for clusters to become warm: a client need not ask for endpoints. */
export function armWarm(session: Session): void {
  const { cold, hall } = session;
  if (cold.size === 0) {
    clearTimeout(session.warmTimer);
    session.warmTimer = undefined;
    return;
  }
  session.warmTimer ??= setTimeout(() => {
    session.warmTimer = undefined;
    cold.clear();
    enqueue(session);
  }, hall.limits.warmMs);
}

function markRejected(session: Session, watch: Watch, nack: Nack, on: boolean): void {
  metrics.markRejected(watch.type.short, session.node.id, statusName(nack.code), on);
}

function checkNames({ watches, hall }: Session): void {
  let names = 0;
  for (const watch of watches) names += watch.names.size;
  if (names > hall.limits.maxNames) throw tooManyNames(hall.limits.maxNames);
}

/**
 * Removals wait, and may go: everything sent was answered and the stream has been quiet, or they
 * waited as long as they may. The quiet matters because a listener is acknowledged before it is
 * warm, and until it is warm the one it replaces is in use.
 */
export function drainable(session: Session): boolean {
  return session.doomedSince !== undefined && drainWait(session) <= 0;
}

/** Time until removals may go, as far as is known now, milliseconds. */
function drainWait({ watches, hall, lastTalk, cold, doomedSince = 0 }: Session): number {
  const now = hall.now();
  const latest = doomedSince + hall.limits.drainMs - now;
  const answered = cold.size === 0 && watches.every((watch) => watch.outstanding.length === 0);
  return answered ? Math.min(latest, lastTalk + hall.limits.settleMs - now) : latest;
}

/** Sees to it that removals which wait get their turn. */
export function armDrain(session: Session): void {
  const { watches, hall } = session;
  clearTimeout(session.drainTimer);
  session.drainTimer = undefined;
  if (!watches.some((watch) => watch.doomed.size > 0)) {
    session.doomedSince = undefined;
    return;
  }
  session.doomedSince ??= hall.now();
  if (drainable(session)) return enqueue(session);
  session.drainTimer = setTimeout(() => armDrain(session), Math.max(1, drainWait(session)));
}

/** Something was sent, is not answered, or was said just now: what is removed may still be referred to. */
export function busy(session: Session): boolean {
  const { watches, hall, lastTalk } = session;
  return hall.now() - lastTalk < hall.limits.settleMs ||
    watches.some((watch) => watch.outstanding.length > 0);
}

/** Names asked for at once from which on an answer counts as bulk. */
const BULK_NAMES = 64;

/**
 * How what is due to a client waits. Endpoints of those it has are small, and go first; the first
 * response of a type, all of a type again, or the answer to many names is bulk.
 */
export function hasteOf({ watches }: Session): Haste {
  let haste: Haste = "urgent";
  for (const { due, started, answerAll, answers, type } of watches) {
    if (!due) continue;
    if (!started || answerAll || answers.size >= BULK_NAMES) return "bulk";
    if (type.url !== ENDPOINT_TYPE) haste = "usual";
  }
  return haste;
}

function enqueue(session: Session): void {
  session.queuedAt ??= session.hall.now();
  session.hall.enqueue(session);
}

/** A publication changed what stands in a view the session looks at. */
export function notice(session: Session, view: View, time: number): void {
  for (const watch of session.watches) if (watch.view === view) watch.due = true;
  session.publishedAt ??= time;
  enqueue(session);
}

/** The session's seat moved: its views may be others now. */
function move(session: Session): void {
  const { observer, moves } = session.hall;
  for (const watch of session.watches) {
    const before = watch.view;
    look(session, watch, session.seat.view(watch.type.url));
    if (watch.view !== watch.held) watch.due = true;
    const told = observer.published !== undefined && watch.view !== before;
    if (told && !moves.has(watch)) moves.set(watch, { session, before });
  }
  session.publishedAt ??= session.hall.changedAt();
  enqueue(session);
}

/**
 * Makes a view the one a watch is to follow. The one its client holds stays looked at until the
 * two were compared, so that nobody evicts it.
 */
function look(session: Session, watch: Watch, view: View | undefined): void {
  const old = watch.view;
  if (old === view) return;
  const { registry } = session.hall;
  if (view && view !== watch.held) registry.look(session, view);
  if (old && old !== watch.held) registry.leave(session, old);
  watch.view = view;
}

/** Ends a session: gives back its seat, its views, its names. */
export function closeSession(session: Session): void {
  if (session.closed) return;
  session.closed = true;
  clearTimeout(session.drainTimer);
  clearTimeout(session.warmTimer);
  const { registry } = session.hall;
  for (const watch of session.watches) {
    if (watch.view) registry.leave(session, watch.view);
    if (watch.held && watch.held !== watch.view) registry.leave(session, watch.held);
    if (watch.nack) markRejected(session, watch, watch.nack, false);
    watch.names.clear();
    session.hall.moves.delete(watch);
  }
  session.parcels = [];
  session.hall.quarantine.leave(session);
  session.seat.close();
}
