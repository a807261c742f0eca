/**
 * The discovery server: aggregated discovery in both variants over one kind of session.
 *
 * @module
 */
import { buildInfo, canonicalJson, MeshError, printable } from "../base/mod.ts";
import { onceLogger, scope } from "../log/mod.ts";
import type { View } from "../graph/mod.ts";
import type { ProxyNode, SeatSource } from "../model/mod.ts";
import { type RpcCall, RpcError, type RpcMethod } from "../rpc/mod.ts";
import { type Breath, breather } from "./breath.ts";
import { type Limiter, limiter } from "./limiter.ts";
import * as metrics from "./metrics.ts";
import { nameTable } from "./names.ts";
import { parseNode } from "./node.ts";
import { joined, type XdsObserver } from "./observe.ts";
import { step } from "./push.ts";
import { type Culprit, quarantine, type Quarantined } from "./quarantine.ts";
import { publicationTeller } from "./publication.ts";
import { preparation } from "./preparation.ts";
import { type PushQueue, pushQueue } from "./queue.ts";
import { registry } from "./registry.ts";
import { decodeRequest, type XdsRequest } from "./request.ts";
import { type Repeated, repeated } from "./repeated.ts";
import { type ResponseEncoder, responseEncoder } from "./response.ts";
import { type RunStore, runStore } from "./runs.ts";
import {
  closeSession,
  type Hall,
  hasteOf,
  newSession,
  notice,
  receive,
  type Session,
} from "./session.ts";
import { type SessionInfo, sessionInfo } from "./status.ts";

const log = scope("ads");
const unservedOnce = onceLogger(log);
const malformedOnce = onceLogger(log);

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/** Bounds of the server. Each has a default. */
export interface XdsLimits {
  /** Bytes of an encoded node (1 MiB). */
  readonly maxNode?: number;
  /** Bytes of one resource name (2048). */
  readonly maxName?: number;
  /** Names one stream may ask for (100,000). */
  readonly maxNames?: number;
  /** Types one stream may ask for (64). */
  readonly maxTypes?: number;
  /** Bytes of one delta response, about (128 KiB: measured, a quarter less CPU and a seventh less memory than 1 MiB in a first sync). */
  readonly slice?: number;
  /** Bytes that may wait in the transport of one stream before more is made (64 KiB). */
  readonly pending?: number;
  /**
   * Bytes that clients have yet to take, beyond which no more first syncs begin (16 MiB: as much as
   * eighty clients that do not read hold).
   */
  readonly allowance?: number;
  /** How long a client that does not keep up holds its slot, milliseconds (1 s). */
  readonly slotMs?: number;
  /** How long a client may then take nothing before its stream is given up, milliseconds (30 s). */
  readonly stallMs?: number;
  /** Quiet time on a stream before removals go out, milliseconds (1 s). */
  readonly settleMs?: number;
  /** Longest time removals wait, for quiet and for acknowledgements, milliseconds (10 s). */
  readonly drainMs?: number;
  /** Longest time that routes wait for a client to take the endpoints of new clusters, milliseconds (2 s). */
  readonly warmMs?: number;
  /** How long a new stream may wait for its turn, milliseconds (30 s). */
  readonly admitMs?: number;
}

/** What a server is made with. */
export interface XdsOptions {
  readonly source: SeatSource;
  /** Monotonic milliseconds with fractions. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Name of this instance, for `control_plane.identifier`. */
  readonly pod: string;
  /** A text no other instance and no earlier life of this one has: nonces begin with it. */
  readonly instance: string;
  /** Streams sent to at the same time; see `derivedThrottle`. */
  readonly pushes: number;
  /** New streams a second; see `derivedRequestRate`. */
  readonly requestRate: number;
  readonly limits?: XdsLimits;
  /** During a publication: when the first change of it came, by `now`; for the time to converge. */
  readonly changedAt?: () => number | undefined;
  /** Who watches what is sent and answered. */
  readonly observers?: readonly XdsObserver[];
  /** Configuration objects a resource comes from; asked when one is rejected. */
  readonly culprits?: (view: View, name: string) => readonly Culprit[];
}

/** A running discovery server. */
export interface XdsServer {
  /** The methods to serve over gRPC. */
  readonly services: readonly RpcMethod[];
  /** All streams, in the order they came. */
  sessions(): SessionInfo[];
  /** Proxies connected. */
  readonly size: number;
  /** Resources that proxies rejected, and that are held back. */
  quarantined(): Quarantined[];
  /** Sends everything to everybody again, what was held back too; returns how many streams that are. */
  pushAll(): number;
  /** Ends the streams of a proxy, `name.namespace` or a connection id; returns how many. */
  disconnect(proxy: string): number;
  /** Takes no more streams and ends those there are one after the other, evenly over this time. */
  drain(graceMs: number): Promise<void>;
}

/** Makes a discovery server over a source of seats. */
export function createXdsServer(options: XdsOptions): XdsServer {
  const sessions = new Set<Session>();
  const breath = breather({ sliceMs: 10, now: options.now });
  const runs = runStore();
  const queue = pushQueue<Session>({
    slots: options.pushes,
    allowance: options.limits?.allowance ?? 16 * 1024 * 1024,
    slotMs: options.limits?.slotMs ?? 1000,
    stallMs: options.limits?.stallMs ?? 30_000,
    turnMs: 10,
    breath,
    now: options.now,
    step: guardedStep,
    pending: (session) => session.call.pending,
    giveUp,
    idle: runs.rest,
  });
  const hall = createHall(options, queue, runs);
  const entrance: Entrance = {
    hall,
    options,
    sessions,
    queue,
    admission: limiter({
      rate: options.requestRate,
      maxWaitMs: options.limits?.admitMs ?? 30_000,
      now: options.now,
    }),
    breath,
    lists: repeated(options.now),
    prepared: preparation(options.source),
    opened: 0,
    open: true,
  };
  const tell = publicationTeller(hall);
  const stop = options.source.onPublish((changed, revision) => {
    const now = hall.changedAt();
    const concerned = hall.registry.concerned(changed);
    for (const [view, streams] of concerned) {
      for (const session of streams) notice(session, view, now);
    }
    tell(concerned, revision);
    entrance.lists.trim();
  });
  return {
    services: [
      {
        path: SERVICE + "StreamAggregatedResources",
        handle: (call) => serve(entrance, call, "sotw"),
      },
      {
        path: SERVICE + "DeltaAggregatedResources",
        handle: (call) => serve(entrance, call, "delta"),
      },
    ],
    sessions: () => [...sessions].map(sessionInfo),
    quarantined: () => hall.quarantine.list(),
    get size() {
      return sessions.size;
    },
    pushAll: () => pushAll(sessions, hall),
    disconnect: (proxy) => disconnect(sessions, proxy),
    async drain(graceMs) {
      entrance.open = false;
      stop();
      await endAll(sessions, graceMs);
    },
  };
}

/** What accepting streams needs. */
interface Entrance {
  readonly hall: Hall;
  readonly options: XdsOptions;
  readonly sessions: Set<Session>;
  readonly queue: PushQueue<Session>;
  readonly admission: Limiter;
  /** Asked before each request. */
  readonly breath: Breath;
  /** Lists of requests that others may send alike. */
  readonly lists: Repeated;
  /** Resolves when what the seats taken so far show was made; see `SeatSource.ahead`. */
  readonly prepared: () => Promise<void> | undefined;
  opened: number;
  open: boolean;
}

function createHall(options: XdsOptions, queue: PushQueue<Session>, runs: RunStore): Hall {
  const { limits = {} } = options;
  const encoders = new Map<string, ResponseEncoder>();
  const identifier = canonicalJson({ Component: "meshd", ID: options.pod, Info: { ...buildInfo } });
  return {
    names: nameTable(),
    registry: registry(),
    revision: () => options.source.revision,
    now: options.now,
    clock: options.clock,
    changedAt: () => options.changedAt?.() ?? options.now(),
    encoder(typeUrl, variant, served) {
      const key = `${variant} ${typeUrl}`;
      let encoder = encoders.get(key);
      if (!encoder) {
        encoder = responseEncoder(typeUrl, variant, identifier, runs);
        // Types nobody serves may have any name, and are not remembered.
        if (served) encoders.set(key, encoder);
      }
      return encoder;
    },
    enqueue: (session) => queue.add(session, hasteOf(session)),
    observer: joined(options.observers ?? [], (error) => {
      metrics.internalErrors.inc();
      log.error("an observer of pushes failed", { error });
    }),
    moves: new Map(),
    quarantine: quarantine(options.clock),
    culprits: options.culprits ?? (() => []),
    unserved(session, typeUrl) {
      unservedOnce(typeUrl)?.info("a resource type is asked for that is not served", {
        type: printable(typeUrl),
        proxy: session.id,
      });
    },
    limits: {
      maxNames: limits.maxNames ?? 100_000,
      maxTypes: limits.maxTypes ?? 64,
      slice: limits.slice ?? 128 * 1024,
      pending: limits.pending ?? 64 * 1024,
      settleMs: limits.settleMs ?? 1000,
      drainMs: limits.drainMs ?? 10_000,
      warmMs: limits.warmMs ?? 2000,
    },
  };
}

/** Serves one stream from its first request to its end. */
async function serve(entrance: Entrance, call: RpcCall, variant: "sotw" | "delta"): Promise<void> {
  let session: Session | undefined;
  try {
    for await (const bytes of call.messages) {
      for (let wait = entrance.breath(); wait; wait = entrance.breath()) await wait;
      metrics.received(bytes.byteLength);
      const request = decode(entrance, bytes, variant);
      session ??= await admit(entrance, call, variant, request);
      receive(session, request);
    }
  } finally {
    if (session) leave(entrance, session);
  }
}

function decode(entrance: Entrance, bytes: Uint8Array, variant: "sotw" | "delta"): XdsRequest {
  const { limits = {} } = entrance.options;
  try {
    return decodeRequest(bytes, variant, {
      maxNode: limits.maxNode ?? 1024 * 1024,
      maxName: limits.maxName ?? 2048,
      maxNames: limits.maxNames ?? 100_000,
    }, entrance.lists);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw new RpcError("INVALID_ARGUMENT", error.message, { cause: error });
  }
}

async function admit(
  entrance: Entrance,
  call: RpcCall,
  variant: "sotw" | "delta",
  request: XdsRequest,
): Promise<Session> {
  if (!entrance.open) throw new RpcError("UNAVAILABLE", "the server is shutting down");
  const node = accept(call, request, variant);
  if (!await entrance.admission.turn()) {
    throw new RpcError("RESOURCE_EXHAUSTED", "too many proxies connect at once; try again later");
  }
  if (!entrance.open) throw new RpcError("UNAVAILABLE", "the server is shutting down");
  const number = ++entrance.opened;
  const session = newSession(
    {
      hall: entrance.hall,
      call,
      variant,
      node,
      id: `${node.name}.${node.namespace}-${number}`,
      noncePrefix: `${entrance.options.instance}.${number.toString(36)}.`,
    },
    (onMove) => seat(entrance, node, onMove),
  );
  entrance.sessions.add(session);
  entrance.hall.observer.opened?.(session);
  metrics.connected.inc({ version: node.buildVersion });
  log.info("a proxy connected", { proxy: session.id, address: call.peer, variant });
  await entrance.prepared();
  return session;
}

/** The node of a first request; what is wrong with it is logged once for each client. */
function accept(
  call: RpcCall,
  request: XdsRequest,
  variant: "sotw" | "delta",
): ProxyNode {
  try {
    return { ...parseNode(request.node, variant), local: isLocal(call.peer) };
  } catch (error) {
    const address = call.peer.replace(/:\d+$/, "");
    malformedOnce(address)?.warn("a discovery stream was refused", {
      address,
      reason: error instanceof RpcError ? printable(error.details) : String(error),
    });
    throw error;
  }
}

/** Whether a peer is on this machine: at a loopback address, or a Unix socket. */
function isLocal(peer: string): boolean {
  const address = peer.replace(/:\d+$/, "");
  return peer === "unix" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

function seat(entrance: Entrance, node: ProxyNode, onMove: () => void): Session["seat"] {
  try {
    return entrance.options.source.seat(node, onMove);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw new RpcError("INVALID_ARGUMENT", error.message, { cause: error });
  }
}

function leave(entrance: Entrance, session: Session): void {
  entrance.sessions.delete(session);
  entrance.queue.remove(session);
  entrance.lists.trim();
  closeSession(session);
  entrance.hall.observer.closed?.(session);
  metrics.connected.dec({ version: session.node.buildVersion });
  log.info("a proxy disconnected", { proxy: session.id });
}

/** A push that fails through an error of ours ends that stream and no other. */
function guardedStep(session: Session): Promise<void> | undefined {
  try {
    return step(session);
  } catch (error) {
    metrics.internalErrors.inc();
    log.error("a push failed", { proxy: session.id, error });
    session.parcels = [];
    session.call.finish(new RpcError("INTERNAL", "the push failed"));
    return undefined;
  }
}

function giveUp(session: Session): void {
  metrics.writeTimeouts.inc();
  log.warn("a proxy does not read what it is sent; its stream is ended", { proxy: session.id });
  session.call.reset();
}

function pushAll(sessions: ReadonlySet<Session>, hall: Hall): number {
  hall.quarantine.clear();
  for (const session of sessions) {
    for (const watch of session.watches) watch.answerAll = watch.due = true;
    hall.enqueue(session);
  }
  return sessions.size;
}

function disconnect(sessions: ReadonlySet<Session>, proxy: string): number {
  let count = 0;
  for (const { id, node, call } of sessions) {
    if (id !== proxy && `${node.name}.${node.namespace}` !== proxy) continue;
    call.finish();
    count++;
  }
  return count;
}

/**
 * Ends streams evenly over the first half of a time, oldest first, so that clients do not all turn
 * elsewhere at once; the second half is for those to read who are slow. Then they are cut.
 */
async function endAll(sessions: ReadonlySet<Session>, graceMs: number): Promise<void> {
  const calls = [...sessions].map((session) => session.call);
  const timer = setTimeout(() => {
    for (const call of calls) call.reset();
  }, graceMs);
  const gap = graceMs / 2 / Math.max(1, calls.length);
  for (const [i, call] of calls.entries()) {
    call.finish();
    if (gap > 0 && i < calls.length - 1) await new Promise((resolve) => setTimeout(resolve, gap));
  }
  await Promise.all(calls.map((call) => call.ended));
  clearTimeout(timer);
}
