/**
 * Accepts streams: admits them, decodes their requests, opens and closes their sessions.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { ProxyNode } from "../model/mod.ts";
import { recycleBuffer, type RpcCall, RpcError } from "../rpc/mod.ts";
import { addressOf, type Admission } from "./admission/admission.ts";
import type { FairYielding } from "./admission/fair_yielding.ts";
import { noteRefusal, reasonOf, Refusal } from "./admission/refusals.ts";
import { recognise } from "./expected.ts";
import type { Hall, Session } from "./hall.ts";
import * as metrics from "./metrics.ts";
import { parseNode } from "./node.ts";
import type { XdsOptions } from "./options.ts";
import type { PushQueue } from "./push_queue.ts";
import type { Repeated } from "./repeated.ts";
import type { Retries } from "./retry.ts";
import { decodeRequest, type XdsRequest } from "./request.ts";
import { closeSession, newSession, receive } from "./session.ts";

const log = scope("ads");

/** What accepting streams needs. */
export interface Entrance {
  readonly hall: Hall;
  readonly options: XdsOptions;
  readonly sessions: Set<Session>;
  readonly queue: PushQueue<Session>;
  readonly admission: Admission;
  /** Called before each request is decoded. */
  readonly yielding: FairYielding;
  /** Tries again what is held back, while there are streams. */
  readonly retries: Retries;
  /** Lists of requests that others may send alike. */
  readonly lists: Repeated;
  opened: number;
  open: boolean;
}

/** A stream from its first message to its end. */
interface Arriving {
  readonly call: RpcCall;
  readonly variant: "sotw" | "delta";
  /** It was cut by either side: its messages are not worth reading any more. */
  over: boolean;
}

/** Serves one stream from its first request to its end. */
export async function serve(
  entrance: Entrance,
  call: RpcCall,
  variant: "sotw" | "delta",
): Promise<void> {
  const { hall, yielding } = entrance;
  const stream: Arriving = { call, variant, over: false };
  void call.ended.then(() => stream.over = true);
  let session: Session | undefined;
  try {
    for await (const bytes of call.messages) {
      metrics.received(bytes.byteLength);
      if (!session && !await admitted(entrance, stream, bytes)) return;
      let pause = yielding(call.peer);
      if (pause) await pause;
      if (stream.over) {
        if (!session) entrance.admission.giveBack();
        return;
      }
      const request = decode(entrance, bytes, variant);
      if (!session) {
        session = open(entrance, stream, request);
        await hall.prepared();
        // All streams that waited for it go on at the same time.
        pause = yielding(call.peer);
        if (pause) await pause;
        if (stream.over) return;
      }
      receive(session, request);
      limitNames(entrance);
      if (request.versions) await compare(entrance, session, request, bytes);
      else recycleBuffer(bytes);
    }
  } catch (error) {
    const reason = reasonOf(error);
    if (reason) noteRefusal(reason, call.peer, (error as RpcError).details);
    throw error;
  } finally {
    if (session) leave(entrance, session);
  }
}

/**
 * Waits until the stream is admitted. False when it ended meanwhile. Throws a {@link Refusal} when it
 * is refused, `RpcError` UNAVAILABLE when the server is shutting down.
 */
async function admitted(
  { admission, open }: Entrance,
  { call }: Arriving,
  { byteLength }: Uint8Array,
): Promise<boolean> {
  if (!open) throw shuttingDown();
  const { peer, ended } = call;
  const result = await admission.turn({ peer, bytes: byteLength, ended });
  if (result === "full" || result === "late") {
    throw new Refusal(
      `admission-${result}`,
      "RESOURCE_EXHAUSTED",
      "too many proxies connect at once; try again later",
    );
  }
  return result === "admitted";
}

function shuttingDown(): RpcError {
  return new RpcError("UNAVAILABLE", "the server is shutting down");
}

/** Compares what a client says to hold with what it is to have; what it said is not needed then. */
async function compare(
  entrance: Entrance,
  session: Session,
  request: XdsRequest,
  bytes: Uint8Array,
): Promise<void> {
  const { hall, yielding } = entrance;
  await hall.prepared();
  // All streams that waited for it go on at the same time.
  const pause = yielding(session.call.peer);
  if (pause) await pause;
  const watch = session.watches.find(({ versions }) => versions === request.versions);
  if (watch) recognise(watch);
  if (watch?.versions !== request.versions) recycleBuffer(bytes);
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

/** Opens the session of an admitted stream. */
function open(
  entrance: Entrance,
  { call, variant }: Arriving,
  request: XdsRequest,
): Session {
  if (!entrance.open) throw shuttingDown();
  const node = { ...parseNode(request.node, variant), local: isLocal(call.peer) };
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
    (onRebind) => seat(entrance, node, onRebind),
  );
  session.disconnected = metrics.connectedAs(node.buildVersion);
  entrance.sessions.add(session);
  entrance.retries.arm();
  entrance.hall.observer.opened?.(session);
  log.info("a proxy connected", { proxy: session.id, address: call.peer, variant });
  return session;
}

/** Whether a peer is on this machine: at a loopback address, or a Unix socket. */
function isLocal(peer: string): boolean {
  const address = addressOf(peer);
  return peer === "unix" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

function seat(entrance: Entrance, node: ProxyNode, onRebind: () => void): Session["binding"] {
  try {
    return entrance.options.source.bind(node, onRebind);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw new RpcError("INVALID_ARGUMENT", error.message, { cause: error });
  }
}

/**
 * Ends the stream that brought in the most names when the names of all streams take too much. Names
 * that several streams ask for are stored once, so proxies of one mesh need little.
 */
function limitNames({ hall, sessions, options }: Entrance): void {
  if (hall.names.characters <= (options.limits?.maxNameTable ?? 128 * 1024 * 1024)) return;
  let most: Session | undefined;
  for (const one of sessions) if (!most || one.newNames > most.newNames) most = one;
  most?.call.finish(
    new Refusal(
      "memory",
      "RESOURCE_EXHAUSTED",
      "the resource names of all streams take too much memory",
    ),
  );
}

function leave(entrance: Entrance, session: Session): void {
  entrance.sessions.delete(session);
  entrance.queue.remove(session);
  entrance.lists.trim();
  closeSession(session);
  entrance.retries.arm();
  entrance.hall.observer.closed?.(session);
  session.disconnected();
  log.info("a proxy disconnected", { proxy: session.id });
}
