/**
 * One stream: its requests go into watches, what is due in them goes out as responses.
 *
 * @module
 */
import type { View } from "../graph/mod.ts";
import {
  HEALTH_TYPE_URL,
  type ProxyBinding,
  pushPosition,
  TYPE_URLS,
  xdsType,
} from "../model/mod.ts";
import { RpcError } from "../rpc/mod.ts";
import { answered } from "./answered.ts";
import { type Arrival, enqueue, type Session } from "./hall.ts";
import { connect, noteAsked } from "./parts.ts";
import { tooManyNames, type XdsRequest } from "./request.ts";
import { screened, shown } from "./screening.ts";
import { armDrain } from "./waits.ts";
import { newWatch, overtaken, subscribeDelta, subscribeSotw, type Watch } from "./watch.ts";

/** A session without watches. The seat is taken by `sit`, which is handed what to call when it moves. */
export function newSession(arrival: Arrival, sit: (onRebind: () => void) => ProxyBinding): Session {
  const session: Session = {
    ...arrival,
    binding: sit(() => move(session)),
    connectedAt: arrival.hall.clock(),
    watches: [],
    early: new Set(),
    cold: new Set(),
    screened: (change) => screened(session, change),
    shown: (watch, resources) => shown(session, watch, resources),
    hasEndpoints: (name) => !!session.binding.view(TYPE_URLS.endpoint)?.get(name),
    disconnected: () => {},
    newNames: 0,
    nonces: 0,
    moving: false,
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
  if (request.typeUrl === HEALTH_TYPE_URL) {
    const fault = request.error && (request.error.message || `code ${request.error.code}`);
    return session.hall.observer.reported?.({ stream: session, fault });
  }
  const known = session.watches.find(({ type }) => type.url === request.typeUrl);
  const watch = known ?? open(session, request.typeUrl);
  const verdict = known ? answered(session, watch, request) : "none";
  // A stale SotW request is overtaken: the client repeats its list when it sees the latest response.
  const namesBefore = session.hall.names.characters;
  if (session.variant === "delta") {
    subscribeDelta(watch, request, !known);
    noteAsked(watch, request.names);
  } else if (verdict === "stale") overtaken(watch, request);
  else subscribeSotw(watch, request, !known);
  session.newNames += session.hall.names.characters - namesBefore;
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
  const view = session.binding.view(typeUrl);
  const encoder = hall.encoder(typeUrl, variant, view !== undefined);
  const watch = newWatch(xdsType(typeUrl), encoder, hall.names);
  if (variant === "delta") {
    connect(watches, watch);
    watch.onDemand = session.binding.onDemand?.(typeUrl);
  }
  look(session, watch, view);
  if (!view) hall.unserved(session, typeUrl);
  const after = watches.findIndex((other) => pushPosition(other.type) > pushPosition(watch.type));
  watches.splice(after < 0 ? watches.length : after, 0, watch);
  return watch;
}

function checkNames({ watches, hall: { limits } }: Session): void {
  let names = 0;
  let bytes = 0;
  for (const watch of watches) {
    names += watch.names.size;
    bytes += watch.names.characters + (watch.versions?.bytes ?? 0);
  }
  if (names > limits.maxNames) throw tooManyNames(limits.maxNames);
  if (bytes > limits.maxNameBytes) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `the resource names and versions of the stream take more than ${limits.maxNameBytes} bytes`,
    );
  }
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
    look(session, watch, session.binding.view(watch.type.url));
    if (watch.view !== watch.held) watch.due = true;
    const told = observer.published !== undefined && watch.view !== before;
    if (told && !moves.has(watch)) moves.set(watch, { session, before });
  }
  session.publishedAt ??= session.hall.changedAt();
  if (!session.moving) void settleIn(session);
}

/** Asks for a turn once what the session's new views show was made. */
async function settleIn(session: Session): Promise<void> {
  session.moving = true;
  // Seats move within publications, in which nothing can be made ahead.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await session.hall.prepared();
  session.moving = false;
  if (!session.closed) enqueue(session);
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
    watch.unmark?.();
    watch.names.clear();
    session.hall.moves.delete(watch);
  }
  session.parcels = [];
  session.hall.quarantine.leave(session);
  session.binding.close();
}

/** A client does not keep up: what it holds is kept, as long as it is known. */
export function fallBehind({ hall, watches, closed }: Session): void {
  if (closed) return;
  for (const watch of watches) {
    if (watch.started && watch.held) watch.kept ??= hall.keeper.keep(watch.held, watch.heldAt);
  }
}
