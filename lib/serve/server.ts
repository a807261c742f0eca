/**
 * The discovery server: aggregated discovery in both variants over one kind of session.
 *
 * @module
 */
import { buildInfo, canonicalJson, printable } from "../base/mod.ts";
import { onceLogger, scope } from "../log/mod.ts";
import { RpcError, type RpcMethod } from "../rpc/mod.ts";
import { admission } from "./admission/admission.ts";
import { createFairYielding } from "./admission/fair_yielding.ts";
import { noteRefusal } from "./admission/refusals.ts";
import { type Entrance, serve } from "./entrance.ts";
import { type Hall, priorityOf, type Session } from "./hall.ts";
import { keeper } from "./kept.ts";
import * as metrics from "./metrics.ts";
import { nameTable } from "./names.ts";
import { joined } from "./observe.ts";
import type { XdsOptions } from "./options.ts";
import { step } from "./push.ts";
import type { Quarantined } from "./held_back.ts";
import { quarantine } from "./quarantine.ts";
import { publicationTeller } from "./publication.ts";
import { preparation } from "./preparation.ts";
import { type PushQueue, pushQueue } from "./push_queue.ts";
import { registry } from "./registry.ts";
import { retries } from "./retry.ts";
import { repeated } from "./repeated.ts";
import { type ResponseEncoder, responseEncoder } from "./response.ts";
import { type RunStore, runStore } from "./runs.ts";
import { fallBehind, notice } from "./session.ts";
import { type SessionInfo, sessionInfo } from "./status.ts";

const log = scope("ads");
const unservedOnce = onceLogger(log);

const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";

/**
 * How long work of one kind goes on in a round of the event loop, ms. What a round does beside (new
 * classes, reading from connections, collecting garbage) comes on top, and the sum is what others wait.
 */
const SLICE_MS = 3;

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
  const yielding = createFairYielding({ sliceMs: SLICE_MS, now: options.now });
  const runs = runStore();
  const queue = pushQueue<Session>({
    slots: options.pushes,
    allowance: options.limits?.allowance ?? 16 * 1024 * 1024,
    slotMs: options.limits?.slotMs ?? 1000,
    stallMs: options.limits?.stallMs ?? 30_000,
    turnMs: SLICE_MS,
    yielding,
    now: options.now,
    connectionOf: (session) => session.call.peer,
    step: guardedStep,
    pending: (session) => session.call.pending,
    slotTaken: (by) => metrics.activePushes.inc({}, by),
    slow: fallBehind,
    giveUp,
    idle: runs.rest,
  });
  const tries = retries({
    quarantine: () => hall.quarantine,
    sessions,
    clock: options.clock,
    timer: options.timer ?? later,
  });
  const hall: Hall = createHall(options, queue, runs, (retryAt) => tries.arm(retryAt));
  const entrance: Entrance = {
    hall,
    options,
    sessions,
    queue,
    admission: admission({
      rate: options.requestRate,
      maxWaitMs: options.limits?.admitMs ?? 30_000,
      maxBytes: options.limits?.admitBytes ?? 128 * 1024 * 1024,
      now: options.now,
    }),
    yielding,
    retries: tries,
    lists: repeated(options.now),
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

function later(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

function createHall(
  options: XdsOptions,
  queue: PushQueue<Session>,
  runs: RunStore,
  heldBack: (retryAt: number) => void,
): Hall {
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
    enqueue: (session) => queue.add(session, priorityOf(session)),
    prepared: preparation(options.source),
    observer: joined(options.observers ?? [], (error) => {
      metrics.internalErrors.inc();
      log.error("an observer of pushes failed", { error });
    }),
    moves: new Map(),
    quarantine: quarantine(options.clock, heldBack),
    keeper: keeper(),
    culprits: options.culprits ?? (() => []),
    unserved(session, typeUrl) {
      unservedOnce(typeUrl)?.info("a resource type is asked for that is not served", {
        type: printable(typeUrl),
        proxy: session.id,
      });
    },
    limits: {
      maxNames: limits.maxNames ?? 100_000,
      maxNameBytes: limits.maxNameBytes ?? 16 * 1024 * 1024,
      maxTypes: limits.maxTypes ?? 64,
      slice: limits.slice ?? 128 * 1024,
      pending: limits.pending ?? 64 * 1024,
      settleMs: limits.settleMs ?? 1000,
      drainMs: limits.drainMs ?? 10_000,
      warmMs: limits.warmMs ?? 2000,
    },
  };
}

/** A push that fails through an error of ours ends that stream and no other. */
function guardedStep(session: Session): Promise<void> | undefined {
  try {
    return step(session);
  } catch (error) {
    session.parcels = [];
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
