/**
 * Accepts streams: admits them, decodes their requests, opens and closes their sessions.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { ProxyNode } from "../../model/mod.ts";
import { recycleBuffer, type RpcCall, RpcError } from "../../../kit/rpc/mod.ts";
import {
  type Admission,
  type FairYielding,
  noteRefusal,
  reasonOf,
  Refusal,
} from "../admission/mod.ts";
import { matchExpected } from "../subscription/mod.ts";
import { type ServerContext, Session } from "./session.ts";
import * as metrics from "../metrics.ts";
import { decodeRequest, type NameListCache, parseNode, type XdsRequest } from "../wire/mod.ts";
import type { XdsOptions } from "./options.ts";
import type { PushQueue } from "../queue/mod.ts";
import { isLocalPeer, mayReadAll, type QueryAnswerer } from "../query/mod.ts";
import type { Retries } from "./retries.ts";
import { checkNames, limitNames, type NameLimit } from "./name_limit.ts";
import { closeSession, rebound, receive } from "./events.ts";

const log = scope("ads");

/** Dependencies of accepting streams. */
export interface StreamAcceptor {
  readonly context: ServerContext;
  readonly options: XdsOptions;
  readonly sessions: Set<Session>;
  readonly queue: PushQueue<Session>;
  readonly admission: Admission;
  /** Called before each request is decoded. */
  readonly yielding: FairYielding;
  /** Sends quarantined resources again, while there are streams. */
  readonly retries: Retries;
  /** Lists of requests that others may send alike. */
  readonly lists: NameListCache;
  readonly queries: QueryAnswerer;
  opened: number;
  open: boolean;
}

/** A stream from its first message to its end. */
interface Arriving {
  readonly call: RpcCall;
  readonly variant: "sotw" | "delta";
  /** The stream was reset by either side: its messages are ignored. */
  over: boolean;
  /** Its session, from its first request on. */
  session: Session | undefined;
  /** Removes the stream from the count of connected proxies. */
  disconnected: () => void;
}

/** Serves one stream from its first request to its end. */
export async function serve(
  acceptor: StreamAcceptor,
  call: RpcCall,
  variant: "sotw" | "delta",
): Promise<void> {
  const stream: Arriving = { call, variant, over: false, session: undefined, disconnected() {} };
  void call.ended.then(() => stream.over = true);
  const messages = call.messages[Symbol.asyncIterator]();
  try {
    while (await takeNext(acceptor, stream, messages));
  } catch (error) {
    const reason = reasonOf(error);
    if (reason) noteRefusal(reason, call.peer, (error as RpcError).details);
    throw error;
  } finally {
    if (stream.session) leave(acceptor, stream.session);
    stream.disconnected();
    await messages.return?.();
  }
}

/**
 * Waits for a message and handles it; false when the stream is over. A separate function without a
 * loop, because the engine keeps the variables of a suspended function: the last request of each stream.
 */
async function takeNext(
  acceptor: StreamAcceptor,
  stream: Arriving,
  messages: AsyncIterator<Uint8Array>,
): Promise<boolean> {
  const next = await messages.next();
  return next.done !== true && await take(acceptor, stream, next.value);
}

/** Handles a message; false when the stream is over. */
async function take(
  acceptor: StreamAcceptor,
  stream: Arriving,
  bytes: Uint8Array,
): Promise<boolean> {
  const { context, yielding } = acceptor;
  const { call } = stream;
  metrics.received(bytes.byteLength);
  if (!stream.session && !await admitted(acceptor, stream, bytes)) return discard(bytes, false);
  const pause = yielding(call.peer);
  if (pause) await pause;
  if (stream.over) {
    if (!stream.session) acceptor.admission.giveBack();
    return discard(bytes, false);
  }
  // Refused: its error comes after the messages that had arrived.
  if (stream.session?.closed) return discard(bytes, true);
  const request = decode(acceptor, stream, bytes);
  if (!stream.session) {
    const node = await authorized(acceptor, stream, request);
    if (stream.over) return discard(bytes, false);
    stream.session = open(acceptor, stream, node);
    await context.prepared();
    // All streams that waited for it go on at the same time.
    const pause = yielding(call.peer);
    if (pause) await pause;
    if (stream.over) return discard(bytes, false);
  }
  if (acceptor.queries.takes(stream.session, request.typeUrl)) {
    recycleBuffer(bytes);
    await acceptor.queries.answer(stream.session, request);
    return true;
  }
  receive(stream.session, request);
  limitNames(nameLimit(acceptor));
  if (request.versions) await compare(acceptor, stream.session, request, bytes);
  else recycleBuffer(bytes);
  return true;
}

/** Gives the memory of an unused message back. Returns `more`: whether the stream goes on. */
function discard(bytes: Uint8Array, more: boolean): boolean {
  recycleBuffer(bytes);
  return more;
}

/**
 * Waits until the stream is admitted. False when it ended meanwhile. Throws a {@link Refusal} when it
 * is refused, `RpcError` UNAVAILABLE when the server is shutting down.
 */
export async function admitted(
  { admission, open }: StreamAcceptor,
  { call }: Pick<Arriving, "call">,
  bytes: Uint8Array,
): Promise<boolean> {
  if (!open) throw shuttingDown();
  const { peer, ended } = call;
  const result = await admission.turn({ peer, bytes: bytes.byteLength, ended });
  if (result === "full" || result === "late") {
    recycleBuffer(bytes);
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

/** Compares the client's reported versions with the expected ones, and discards them. */
async function compare(
  acceptor: StreamAcceptor,
  session: Session,
  request: XdsRequest,
  bytes: Uint8Array,
): Promise<void> {
  const { context, yielding } = acceptor;
  await context.prepared();
  // All streams that waited for it continue at the same time.
  const pause = yielding(session.call.peer);
  if (pause) await pause;
  const subscription = session.subscriptions.find(({ versions }) => versions === request.versions);
  if (subscription) matchExpected(subscription);
  if (subscription?.versions !== request.versions) recycleBuffer(bytes);
}

/** Decodes a request; throws `RpcError` if it cannot be read or is too large. */
export function decode(
  acceptor: StreamAcceptor,
  { call, variant, session }: Pick<Arriving, "call" | "variant" | "session">,
  bytes: Uint8Array,
): XdsRequest {
  const { maxNode, maxName, maxNames } = acceptor.context.limits;
  try {
    return decodeRequest(bytes, variant, {
      maxNode,
      maxName,
      maxNames,
      checkNames: (list) => checkNames(nameLimit(acceptor), { peer: call.peer, session }, list),
    }, acceptor.lists);
  } catch (error) {
    recycleBuffer(bytes);
    if (!(error instanceof MeshError)) throw error;
    throw new RpcError("INVALID_ARGUMENT", error.message, { cause: error });
  }
}

function nameLimit({ context, sessions }: StreamAcceptor): NameLimit {
  return { context, sessions, maxBytes: context.limits.maxNameTable };
}

/** The node of an admitted stream, whose client may be that proxy. */
export async function authorized(
  { options }: StreamAcceptor,
  { call, variant }: Pick<Arriving, "call" | "variant">,
  request: XdsRequest,
): Promise<ProxyNode> {
  const node = parseNode(request.node, variant);
  const local = options.localCredentials === true && isLocalPeer(call.peer);
  const { readsCredentials = local, ...client } = await options.authorize?.(call, node) ?? {};
  if (
    node.generator === "api" && !mayReadAll(options, { peer: call.peer, identity: client.identity })
  ) {
    throw new Refusal(
      "permission",
      "PERMISSION_DENIED",
      "configuration is for clients on this machine and for identities of the system namespace",
    );
  }
  return { ...node, ...client, readsCredentials };
}

/** Opens the session of an admitted stream. */
function open(acceptor: StreamAcceptor, stream: Arriving, node: ProxyNode): Session {
  if (!acceptor.open) throw shuttingDown();
  const { call, variant } = stream;
  const number = ++acceptor.opened;
  const { context } = acceptor;
  const session = new Session(
    {
      // Observers record what proxies are sent.
      context: node.generator === undefined ? context : { ...context, observer: {} },
      call,
      variant,
      node,
      id: `${node.name}.${node.namespace}-${number}`,
      noncePrefix: `${acceptor.options.instance}.${number.toString(36)}.`,
    },
    (unbound) => bindProxy(acceptor, node, () => rebound(unbound)),
  );
  call.admit();
  if (node.generator === undefined) stream.disconnected = metrics.connectedAs(node.buildVersion);
  acceptor.sessions.add(session);
  acceptor.retries.arm();
  session.context.observer.opened?.(session);
  const client = node.generator === undefined ? "proxy" : "configuration client";
  log.info(`a ${client} connected`, { proxy: session.id, address: call.peer, variant });
  if (node.role === "router" && node.identity === undefined && !node.readsCredentials) {
    log.info("a gateway without an identity receives no credentials", { proxy: session.id });
  }
  warnOfMissing(session);
  return session;
}

/** Logs a warning for each feature that the proxy lacks. */
function warnOfMissing({ id, node }: Session): void {
  for (const { name, since, without } of node.missing ?? []) {
    log.warn(`a proxy lacks a feature: ${without}`, {
      proxy: id,
      version: node.buildVersion,
      feature: name,
      since: since.join("."),
    });
  }
}

function bindProxy(
  acceptor: StreamAcceptor,
  node: ProxyNode,
  onRebind: () => void,
): Session["binding"] {
  try {
    return acceptor.options.source.bind(node, onRebind);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw new RpcError("INVALID_ARGUMENT", error.message, { cause: error });
  }
}

function leave(acceptor: StreamAcceptor, session: Session): void {
  acceptor.sessions.delete(session);
  acceptor.queue.remove(session);
  acceptor.lists.trim();
  closeSession(session);
  acceptor.retries.arm();
  session.context.observer.closed?.(session);
  log.info("a proxy disconnected", { proxy: session.id });
}
