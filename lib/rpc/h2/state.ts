/**
 * The state of a connection and of its streams, and how both end.
 *
 * @module
 */
import type { Buffer } from "node:buffer";
import { H2_CODE, type H2Code, H2Error } from "./error.ts";
import type { Headers, HpackDecoder } from "./hpack.ts";
import type { Yielding } from "../yielding.ts";

/** What is used of a socket, plain or TLS. */
export interface SocketLike {
  readonly destroyed: boolean;
  write(bytes: Uint8Array, taken: (error?: Error | null) => void): boolean;
  /** Sends what was written and closes. */
  end(): unknown;
  destroy(): unknown;
  /** Reads no more, or reads on. */
  pause(): unknown;
  resume(): unknown;
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** Who listens to a stream. */
export interface StreamListener {
  /** Response headers, or trailers of either side. */
  headers(headers: Headers, end: boolean): void;
  /** Content; what is kept of it is to be copied. */
  data(bytes: Uint8Array, end: boolean): void;
  /** The stream is over before its time: reset by the peer, or lost with the connection. */
  aborted(code: H2Code | "LOST", error?: Error): void;
}

/** A stream of a connection. */
export interface H2Stream {
  readonly id: number;
  /** Sends headers, or trailers behind all data queued before. */
  headers(headers: Headers, end: boolean): void;
  /** Queues content. `taken` is called when the socket took the last of it, not if the stream ends before. */
  data(parts: readonly Uint8Array[], taken: () => void): void;
  /** Ends our side behind all data queued before; for clients. */
  end(): void;
  /** Lets the peer send so many bytes more. */
  credit(bytes: number): void;
  /** Counts bytes kept in memory for the stream, or given free again (negative). */
  hold(bytes: number): void;
  /** Ends the stream at once; what is queued is lost. The listener is not told. */
  reset(code: H2Code): void;
}

/** What a connection goes by. */
export interface ConnectionOptions {
  readonly role: "server" | "client";
  readonly socket: SocketLike;
  /** Streams the peer may have open at the same time. */
  readonly maxStreams: number;
  /** Bytes the peer may send on a stream, and on all of them, before credit is given. */
  readonly window: number;
  readonly keepalive?: { readonly interval: number; readonly timeout: number };
  /** Asked before what came is read, for connections that share a piece of time; without it, all is read at once. */
  readonly yielding?: Yielding;
  /** A stream of the peer. */
  readonly accept?: (stream: H2Stream, headers: Headers, end: boolean) => StreamListener;
  /** The connection is over and its socket closed; streams were told before. */
  readonly closed: (error: Error | undefined) => void;
}

/** A connection. */
export interface Connection {
  /** Opens a stream; for clients. */
  open(headers: Headers, listener: StreamListener): H2Stream;
  /** Takes no more streams; the connection closes when the last one ends. */
  retire(): void;
  /** Ends everything at once. */
  destroy(): void;
  /** Open streams. */
  readonly streams: number;
}

/** Something a stream has to send: content, or header frames. */
export type Outgoing =
  | {
    readonly parts: readonly Uint8Array[];
    /** How far it got: the part, and the offset in it. */
    part: number;
    at: number;
    readonly taken: () => void;
  }
  | { readonly frames: readonly Uint8Array[]; readonly end: boolean };

/** State of a stream. */
export interface StreamState {
  readonly id: number;
  listener: StreamListener | undefined;
  /** Bytes the peer lets us send. */
  sendWindow: number;
  /** Bytes we let the peer send, and credit not told it yet. */
  receiveWindow: number;
  credit: number;
  held: number;
  localEnded: boolean;
  remoteEnded: boolean;
  readonly queue: Outgoing[];
}

/** State of a connection. */
export interface ConnectionState {
  readonly options: ConnectionOptions;
  readonly streams: Map<number, StreamState>;
  readonly decoder: HpackDecoder;
  /** Limits the peer set. */
  peerWindow: number;
  peerMaxFrame: number;
  /** Of the connection as a whole, as in {@link StreamState}. */
  sendWindow: number;
  receiveWindow: number;
  /** Frames that are not subject to flow control, not written yet. */
  control: Uint8Array[];
  /** Streams with something to send, in the order of their turns. */
  readonly ready: Set<StreamState>;
  /** Bytes the socket has not taken yet. */
  unsent: number;
  /** A header block of which more is to come. */
  block: { stream: number; end: boolean; parts: Uint8Array[]; size: number } | undefined;
  /** Latest stream of the peer, and next of ours. */
  lastPeer: number;
  nextOwn: number;
  /** Bytes kept in memory for all streams. */
  held: number;
  /** Resets and empty frames since {@link windowStart}, which a busy client has few of. */
  nuisance: number;
  nuisanceSince: number;
  settled: boolean;
  retiring: boolean;
  over: boolean;
  /** Why it is over. */
  error: Error | undefined;
  lastHeard: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Time a peer has to close its side after we closed ours, milliseconds. */
const FAREWELL_MS = 1000;

/** Queues a frame that goes before all data. */
export function control(state: ConnectionState, bytes: Uint8Array): void {
  state.control.push(bytes);
}

/** A stream's state, among the open ones. */
export function newStream(
  state: ConnectionState,
  id: number,
  listener: StreamListener | undefined,
): StreamState {
  const stream: StreamState = {
    id,
    listener,
    sendWindow: state.peerWindow,
    receiveWindow: state.options.window,
    credit: 0,
    held: 0,
    localEnded: false,
    remoteEnded: false,
    queue: [],
  };
  state.streams.set(id, stream);
  return stream;
}

/** Forgets a stream that is over. */
export function removeStream(state: ConnectionState, stream: StreamState): void {
  if (!state.streams.delete(stream.id)) return;
  state.held -= stream.held;
  state.ready.delete(stream);
  stream.queue.length = 0;
  // Not at once: the last frames of the stream may just be put together.
  if (state.retiring) queueMicrotask(() => closeIfDone(state));
}

/** Closes a connection that takes no more streams, when the last is over and all is sent. */
export function closeIfDone(state: ConnectionState): void {
  const { retiring, over, streams, unsent, control } = state;
  if (!retiring || over || streams.size > 0 || unsent > 0 || control.length > 0) return;
  finish(state, undefined, true);
}

/** Ends the connection and tells its streams. What was written still goes out if it is done gently. */
export function finish(state: ConnectionState, error: Error | undefined, gently = false): void {
  if (state.over) return;
  state.over = true;
  state.error = error;
  clearTimeout(state.timer);
  const { socket } = state.options;
  const code = error instanceof H2Error && H2_CODE[error.code] !== 0 ? error.code : "LOST";
  const streams = [...state.streams.values()];
  state.streams.clear();
  state.ready.clear();
  state.control = [];
  for (const stream of streams) stream.listener?.aborted(code, error);
  if (gently && !socket.destroyed) {
    state.timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
    socket.end();
  } else {
    socket.destroy();
  }
}
