/**
 * Streams as they come in: their requests decoded, their nodes admitted, their sessions opened and closed.
 *
 * @module
 */
import { MeshError, printable } from "../base/mod.ts";
import { onceLogger, scope } from "../log/mod.ts";
import type { ProxyNode } from "../model/mod.ts";
import { recycleBuffer, type RpcCall, RpcError, type Yielding } from "../rpc/mod.ts";
import { recognise } from "./expected.ts";
import type { Hall, Session } from "./hall.ts";
import type { Limiter } from "./limiter.ts";
import * as metrics from "./metrics.ts";
import { parseNode } from "./node.ts";
import type { XdsOptions } from "./options.ts";
import type { PushQueue } from "./queue.ts";
import type { Repeated } from "./repeated.ts";
import type { Retries } from "./retry.ts";
import { decodeRequest, type XdsRequest } from "./request.ts";
import { closeSession, newSession, receive } from "./session.ts";

const log = scope("ads");
const malformedOnce = onceLogger(log);

/** What accepting streams needs. */
export interface Entrance {
  readonly hall: Hall;
  readonly options: XdsOptions;
  readonly sessions: Set<Session>;
  readonly queue: PushQueue<Session>;
  readonly admission: Limiter;
  /** Asked before each request. */
  readonly yielding: Yielding;
  /** Tries again what is held back, while there are streams. */
  readonly retries: Retries;
  /** Lists of requests that others may send alike. */
  readonly lists: Repeated;
  opened: number;
  open: boolean;
}

/** Serves one stream from its first request to its end. */
export async function serve(
  entrance: Entrance,
  call: RpcCall,
  variant: "sotw" | "delta",
): Promise<void> {
  const { hall, yielding } = entrance;
  let session: Session | undefined;
  try {
    for await (const bytes of call.messages) {
      for (let wait = yielding(); wait; wait = yielding()) await wait;
      metrics.received(bytes.byteLength);
      const request = decode(entrance, bytes, variant);
      if (!session) {
        session = await admit(entrance, call, variant, request);
        // All who wait for what their seats show go on at once.
        await hall.prepared();
        for (let wait = yielding(); wait; wait = yielding()) await wait;
      }
      receive(session, request);
      if (request.versions) await compare(entrance, session, request, bytes);
      else recycleBuffer(bytes);
    }
  } finally {
    if (session) leave(entrance, session);
  }
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
  // All who waited for that go on at once.
  for (let wait = yielding(); wait; wait = yielding()) await wait;
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
  // All who waited for their turn go on at once, and each opens a session.
  for (let wait = entrance.yielding(); wait; wait = entrance.yielding()) await wait;
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
  entrance.retries.arm();
  entrance.hall.observer.opened?.(session);
  metrics.connected.inc({ version: node.buildVersion });
  log.info("a proxy connected", { proxy: session.id, address: call.peer, variant });
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
  entrance.retries.arm();
  entrance.hall.observer.closed?.(session);
  metrics.connected.dec({ version: session.node.buildVersion });
  log.info("a proxy disconnected", { proxy: session.id });
}
