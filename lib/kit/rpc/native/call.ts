/**
 * A stream of Mesh's HTTP/2 as a call of this room.
 *
 * @module
 */
import { scope } from "../../log/mod.ts";
import type { RpcCall } from "../call.ts";
import { type Inbox, inbox, outbox } from "../flow.ts";
import type { H2Stream, StreamListener } from "../h2/mod.ts";
import type { Refusal } from "../refused.ts";
import { RpcError, toRpcError } from "../status.ts";
import { abortedError, RESPONSE, responseHeaders, statusHeaders } from "./status.ts";

const log = scope("grpc");

/** Time in which the first message of a stream has to come before it is admitted, ms. */
const FIRST_MESSAGE_MS = 30_000;

/** The connection that a call belongs to. */
export interface Peer {
  /** `address:port`, or `unix`. */
  readonly name: string;
  /** See `RpcCall.certificates`. */
  readonly certificates: readonly Uint8Array[] | undefined;
  /** See `RpcCall.secure`. */
  readonly secure: boolean;
  /** A complete request arrived on a stream, or that stream ended. */
  requested(change: 1 | -1): void;
  /** Something of the client was refused. */
  refused(reason: Refusal): void;
}

/** The properties of a call. */
interface CallOptions {
  readonly peer: Peer;
  readonly metadata: ReadonlyMap<string, string>;
  readonly maxReceive: number;
  /** Time that the client gives the call, ms. */
  readonly timeout: number | undefined;
  /** See `RpcMethod.admission`. */
  readonly admission: boolean;
}

/** A call with what drives it. */
interface OpenCall {
  readonly call: RpcCall;
  readonly listener: StreamListener;
  /** Ends the stream with a status: `undefined` for OK. */
  conclude(error: RpcError | undefined): void;
}

/** Makes a call of a stream. */
export function openCall(stream: H2Stream, options: CallOptions): OpenCall {
  const { peer, metadata, maxReceive } = options;
  let begun = false;
  const out = outbox((parts, taken) => {
    if (!begun) stream.begin(RESPONSE);
    begun = true;
    stream.data(parts, taken);
  });
  const incoming = inbox(stream, maxReceive);
  const gone = Promise.withResolvers<void>();
  const conclude = (error: RpcError | undefined) => {
    stream.headers(begun ? statusHeaders(error) : responseHeaders(error), true);
    over();
  };
  const life = lifeOf(options, (error) => {
    stream.discard();
    conclude(error);
  });
  const over = () => {
    life.end();
    stream.admit(false);
    out.release();
    incoming.finish();
    gone.resolve();
  };
  const call: RpcCall = {
    peer: peer.name,
    certificates: peer.certificates,
    secure: peer.secure,
    metadata,
    messages: incoming,
    ended: gone.promise,
    send: out.send,
    drained: out.drained,
    get pending() {
      return out.pending;
    },
    admit() {
      if (!life.isOver) stream.admit(true);
    },
    finish: (error) => incoming.finish(error),
    reset() {
      stream.reset("CANCEL");
      over();
    },
  };
  if (!options.admission) stream.admit(true);
  return { call, conclude, listener: listenerOf(incoming, { peer, life, conclude, over }) };
}

/** The time limits of a call, and its begin and end as the connection counts them. */
interface Life {
  readonly isOver: boolean;
  /** A message arrived. */
  requested(): void;
  end(): void;
}

function lifeOf(
  { peer, timeout, admission }: CallOptions,
  expire: (error: RpcError) => void,
): Life {
  let isOver = false;
  let hasRequest = false;
  const late = (what: string) => () => expire(new RpcError("DEADLINE_EXCEEDED", what));
  const deadline = timeout === undefined
    ? undefined
    : setTimeout(late("the time that the client gave is over"), timeout);
  const first = admission
    ? setTimeout(() => {
      peer.refused("no-request");
      late("no message came in time")();
    }, FIRST_MESSAGE_MS)
    : undefined;
  return {
    get isOver() {
      return isOver;
    },
    requested() {
      if (hasRequest || isOver) return;
      hasRequest = true;
      clearTimeout(first);
      peer.requested(1);
    },
    end() {
      if (isOver) return;
      isOver = true;
      clearTimeout(deadline);
      clearTimeout(first);
      if (hasRequest) peer.requested(-1);
    },
  };
}

function listenerOf(
  incoming: Inbox,
  { peer, life, conclude, over }: {
    readonly peer: Peer;
    readonly life: Life;
    readonly conclude: (error: RpcError) => void;
    readonly over: () => void;
  },
): StreamListener {
  return {
    // Trailers of a request mean in gRPC only that it is complete.
    headers(_, end) {
      if (end) incoming.finish();
    },
    data(bytes, end) {
      try {
        if (incoming.push(bytes) > 0) life.requested();
      } catch (error) {
        peer.refused("message-size");
        conclude(toRpcError(error));
      }
      if (end) incoming.finish();
    },
    aborted(code, error) {
      log.debug("a stream was cut", { reason: abortedError(code, error).details });
      over();
    },
  };
}
