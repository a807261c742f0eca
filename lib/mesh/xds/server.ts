/**
 * The discovery server: aggregated discovery in both variants over one kind of session.
 *
 * @module
 */
import { buildInfo, canonicalJson, printable } from "../../kit/base/mod.ts";
import { onceLogger, scope } from "../../kit/log/mod.ts";
import { PROXY_STATE_METHOD, xdsType } from "../model/mod.ts";
import { RpcError, type RpcMethod } from "../../kit/rpc/mod.ts";
import { admission, createFairYielding, noteRefusal } from "./admission/mod.ts";
import {
  isProxy,
  joined,
  limitsOf,
  notice,
  priorityOf,
  publicationNotifier,
  registry,
  retries,
  serve,
  type ServerContext,
  type Session,
  type SessionInfo,
  sessionInfo,
  step,
  type StreamAcceptor,
  takeReport,
  takeSnapshots,
  withOpinions,
  type XdsOptions,
} from "./stream/mod.ts";
import { isShared, nameTable, snapshots } from "./subscription/mod.ts";
import { disconnect, endAll, pushAll } from "./all_streams.ts";
import * as metrics from "./metrics.ts";
import { preparation, type PushQueue, pushQueue } from "./queue/mod.ts";
import { queryAnswerer } from "./query/mod.ts";
import { quarantine, type Quarantined } from "./quarantine/mod.ts";
import {
  type BatchCache,
  batchCache,
  nameListCache,
  type ResponseEncoder,
  responseEncoder,
} from "./wire/mod.ts";

const log = scope("ads");
const unservedOnce = onceLogger(log);

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/**
 * Duration of one kind of work in a round of the event loop, ms. Other work of the round (new
 * classes, reading from connections, garbage collection) adds to it.
 */
const SLICE_MS = 3;

/** A running discovery server. */
export interface XdsServer {
  /** The methods to serve over gRPC. */
  readonly services: readonly RpcMethod[];
  /** Returns the streams of proxies, oldest first. */
  sessions(): SessionInfo[];
  /** Returns the streams of configuration clients and of debug queries, oldest first. */
  clients(): SessionInfo[];
  /** Connected streams. */
  readonly size: number;
  /** Streams that wait for a push or are being sent one. */
  readonly pushing: number;
  /** Resources that are withheld from proxies that rejected them. */
  quarantined(): Quarantined[];
  /** Sends all resources to all streams again, quarantined ones too. Returns the number of streams. */
  pushAll(): number;
  /** Ends the streams of a proxy, `name.namespace` or a connection id; returns their number. */
  disconnect(proxy: string): number;
  /** Refuses new streams and ends the existing ones one after the other, evenly over this time. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Makes a discovery server over a source of bindings.
 *
 * @example
 * ```ts
 * import { createXdsServer } from "./mod.ts";
 * import { startRpc } from "../../kit/rpc/mod.ts";
 * import type { Translation } from "../translate/mod.ts";
 *
 * // Serves what is translated, at a port of this machine.
 * async function serve({ source }: Translation) {
 *   const { services } = createXdsServer({
 *     source,
 *     now: () => performance.now(),
 *     clock: () => Date.now(),
 *     pod: "mesh-1",
 *     instance: crypto.randomUUID(),
 *     pushes: 32,
 *     requestRate: 100,
 *   });
 *   const limits = { maxReceive: 4 * 1024 * 1024, maxStreams: 1000 };
 *   const keepalive = { interval: 30_000, timeout: 10_000 };
 *   return await startRpc({ address: "127.0.0.1:15010", services, limits, keepalive });
 * }
 * ```
 */
export function createXdsServer(options: XdsOptions): XdsServer {
  const sessions = new Set<Session>();
  const yielding = createFairYielding({ sliceMs: SLICE_MS, now: options.now });
  const batches = batchCache();
  const queue = createPushQueue(options, yielding, batches);
  const tries = retries({
    quarantine: () => context.quarantine,
    sessions,
    clock: options.clock,
    timer: options.timer ?? later,
  });
  const context: ServerContext = createContext(
    options,
    queue,
    batches,
    (retryAt) => tries.arm(retryAt),
  );
  const acceptor: StreamAcceptor = {
    context,
    options,
    sessions,
    queue,
    admission: createAdmission(options),
    yielding,
    retries: tries,
    lists: nameListCache(options.now),
    queries: queryAnswerer(options, context),
    opened: 0,
    open: true,
  };
  const notify = publicationNotifier(context);
  const stop = options.source.onPublish((changed, revision) => {
    const now = context.changedAt();
    const concerned = context.registry.concerned(changed);
    for (const [view, streams] of concerned) {
      for (const session of streams) notice(session, view, now);
    }
    notify(concerned, revision);
    acceptor.lists.trim();
  });
  return {
    services: servicesOf(acceptor),
    sessions: () => [...sessions].filter(isProxy).map(sessionInfo),
    clients: () => [...sessions].filter((one) => !isProxy(one)).map(sessionInfo),
    quarantined: () => withOpinions(context.quarantine.list(), sessions),
    get size() {
      return sessions.size;
    },
    get pushing() {
      return queue.waiting + queue.active;
    },
    pushAll: () => pushAll(sessions, context),
    disconnect: (proxy) => disconnect(sessions, proxy),
    async drain(graceMs) {
      acceptor.open = false;
      stop();
      await endAll(sessions, graceMs);
    },
  };
}

/** Both variants of the aggregated discovery service, and reports of agents whose proxy has no stream. */
function servicesOf(acceptor: StreamAcceptor): XdsServer["services"] {
  return [
    {
      path: SERVICE + "StreamAggregatedResources",
      handle: (call) => serve(acceptor, call, "sotw"),
      admission: true,
    },
    {
      path: SERVICE + "DeltaAggregatedResources",
      handle: (call) => serve(acceptor, call, "delta"),
      admission: true,
    },
    {
      path: PROXY_STATE_METHOD,
      handle: (call) => takeReport(acceptor, call),
      admission: true,
    },
  ];
}

function createPushQueue(
  options: XdsOptions,
  yielding: StreamAcceptor["yielding"],
  batches: BatchCache,
): PushQueue<Session> {
  const { allowance, slotMs, stallMs } = limitsOf(options);
  return pushQueue<Session>({
    slots: options.pushes,
    allowance,
    slotMs,
    stallMs,
    turnMs: SLICE_MS,
    yielding,
    now: options.now,
    connectionOf: (session) => session.call.peer,
    step: guardedStep,
    pending: pendingBytes,
    slotTaken: (by) => metrics.activePushes.inc({}, by),
    slow: takeSnapshots,
    giveUp,
    idle: batches.rest,
  });
}

function createAdmission(options: XdsOptions): StreamAcceptor["admission"] {
  const { admitMs, admitBytes } = limitsOf(options);
  return admission({
    rate: options.requestRate,
    maxWaitMs: admitMs,
    maxBytes: admitBytes,
    now: options.now,
  });
}

function later(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

function createContext(
  options: XdsOptions,
  queue: PushQueue<Session>,
  batches: BatchCache,
  quarantined: (retryAt: number) => void,
): ServerContext {
  const encoders = new Map<string, ResponseEncoder>();
  const identifier = canonicalJson({ Component: "meshd", ID: options.pod, Info: { ...buildInfo } });
  return {
    names: nameTable(),
    searchNamesAbove: 0,
    registry: registry(),
    revision: () => options.source.revision,
    now: options.now,
    clock: options.clock,
    changedAt: () => options.changedAt?.() ?? options.now(),
    encoder(typeUrl, variant, served) {
      const key = `${variant} ${typeUrl}`;
      let encoder = encoders.get(key);
      if (!encoder) {
        encoder = responseEncoder(xdsType(typeUrl), variant, identifier, batches);
        // Types that are not served may have any name, and are not cached.
        if (served) encoders.set(key, encoder);
      }
      return encoder;
    },
    enqueue: (session) => queue.add(session, priorityOf(session)),
    prepared: preparation(options.source),
    observer: joined(options.observers ?? [], (error) => {
      metrics.internalErrors.inc();
      log.error("an observer of pushes failed", { error });
    }),
    rebinds: new Map(),
    quarantine: quarantine(options.clock, quarantined),
    learned: options.learned,
    snapshots: snapshots(),
    culprits: options.culprits ?? (() => []),
    unserved(session, typeUrl) {
      unservedOnce(typeUrl)?.info("a resource type is asked for that is not served", {
        type: printable(typeUrl),
        proxy: session.id,
      });
    },
    limits: limitsOf(options),
  };
}

/** Memory of an entry in a list of what is to be sent, bytes. */
const ENTRY_BYTES = 8;

/** Bytes that a session's client has yet to take, and those of the lists of names in the plan of its push. */
function pendingBytes({ call, push }: Session): number {
  let planned = 0;
  for (const { removed } of push.responses) if (!isShared(removed)) planned += removed.length;
  return call.pending + planned * ENTRY_BYTES;
}

/** A push that fails through an error of ours ends that stream and no other. */
function guardedStep(session: Session): Promise<void> | undefined {
  try {
    return step(session);
  } catch (error) {
    session.push.drop();
    if (error instanceof RpcError) {
      log.info("a stream is ended", { proxy: session.id, reason: error.details });
      session.call.finish(error);
      return undefined;
    }
    metrics.internalErrors.inc();
    log.error("a push failed", { proxy: session.id, error });
    session.call.finish(new RpcError("INTERNAL", "the push failed"));
    return undefined;
  }
}

function giveUp(session: Session, reason: "stalled" | "memory"): void {
  metrics.writeTimeouts.inc();
  noteRefusal(
    reason === "stalled" ? "stalled" : "stalled-memory",
    session.call.peer,
    `${session.id} does not read what it is sent`,
  );
  session.call.reset();
}
