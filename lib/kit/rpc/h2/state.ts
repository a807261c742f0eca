/**
 * The state of a connection and of its streams, and how both end.
 *
 * @module
 */
import type { ClosedStreams, Closer } from "./closed.ts";
import { H2_CODE, H2Error } from "./error.ts";
import type { HpackDecoder } from "./hpack.ts";
import type { ConnectionOptions, StreamListener } from "./types.ts";

/** Content that a stream has to send, or header frames. */
export type Outgoing =
  | {
    readonly parts: readonly Uint8Array[];
    /** Progress: the part, and the offset in it. */
    part: number;
    at: number;
    readonly taken: () => void;
  }
  | { readonly frames: readonly Uint8Array[]; readonly end: boolean };

export interface StreamState {
  readonly id: number;
  listener: StreamListener | undefined;
  /** Bytes the peer lets us send. */
  sendWindow: number;
  /** Bytes we let the peer send, and credit that was not sent yet. */
  receiveWindow: number;
  credit: number;
  held: number;
  isAdmitted: boolean;
  /** Our side is closed for the application; its end may still be queued. */
  localEnded: boolean;
  /** The end of our side was put into a frame. */
  localSent: boolean;
  remoteEnded: boolean;
  /** Content that the peer announced by content-length and did not send yet, bytes. */
  remaining: number | undefined;
  readonly queue: Outgoing[];
  /** Bounds the wait for the end of our side to be sent. */
  endTimer: ReturnType<typeof setTimeout> | undefined;
}

/** A header block that continues in the next frame. */
export interface OpenBlock {
  readonly stream: number;
  readonly end: boolean;
  readonly isSelfDependent: boolean;
  bytes: Uint8Array;
  size: number;
}

export interface ConnectionState {
  readonly options: ConnectionOptions;
  readonly streams: Map<number, StreamState>;
  readonly closedStreams: ClosedStreams;
  readonly decoder: HpackDecoder;
  /** Limits the peer set. */
  peerWindow: number;
  peerMaxFrame: number;
  peerMaxStreams: number;
  /** Send window of the connection, as in {@link StreamState}. */
  sendWindow: number;
  receiveWindow: number;
  /** Frames that are not subject to flow control, not written yet. */
  control: Uint8Array[];
  /** Frames among them, about, that reply to frames of the peer. */
  replies: number;
  /** Streams that may have something to send, in the order of their turns. */
  readonly ready: Set<StreamState>;
  /** Streams that wait for the window of the connection. */
  readonly stalled: Set<StreamState>;
  /** Bytes the socket has not taken yet. */
  unsent: number;
  block: OpenBlock | undefined;
  /** Latest stream of the peer, and next of ours. */
  lastPeer: number;
  nextOwn: number;
  /** Admitted streams. */
  admitted: number;
  /** Bytes kept in memory for the peer's input. */
  held: number;
  /** Frames that cost work and mean little, and decoded header bytes, since a time; see `limits.ts`. */
  readonly spent: { since: number; nuisance: number; headers: number };
  /** The peer's SETTINGS came. */
  settled: boolean;
  /** GOAWAY was sent that names no last stream yet. */
  announced: boolean;
  /** No new streams: GOAWAY was sent or received. */
  retiring: boolean;
  over: boolean;
  error: Error | undefined;
  /** When bytes last came, `performance.now()`. */
  lastHeard: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  goAwayTimer: ReturnType<typeof setTimeout> | undefined;
}

/** Time a peer has to close its side after we closed ours, ms. */
const CLOSE_MS = 1000;

/** Queues a frame that goes before all data. */
export function control(state: ConnectionState, bytes: Uint8Array): void {
  state.control.push(bytes);
}

/** Reports if a stream was never open and may be opened yet. */
export function isIdle(state: ConnectionState, id: number): boolean {
  const isOwn = (id % 2 === 1) === (state.options.role === "client");
  return isOwn ? id >= state.nextOwn : id > state.lastPeer;
}

/** Counts a change of the bytes in memory for the peer's input. */
export function hold(state: ConnectionState, bytes: number): void {
  if (state.over || bytes === 0) return;
  state.held += bytes;
  state.options.observer?.held(bytes);
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
    isAdmitted: false,
    localEnded: false,
    localSent: false,
    remoteEnded: false,
    remaining: undefined,
    queue: [],
    endTimer: undefined,
  };
  state.streams.set(id, stream);
  return stream;
}

/** Counts a stream as admitted, or not. */
export function admitStream(state: ConnectionState, stream: StreamState, is: boolean): void {
  if (stream.isAdmitted === is) return;
  stream.isAdmitted = is;
  const change = is ? 1 : -1;
  state.admitted += change;
  state.options.observer?.admitted(change);
}

/** Removes a stream that is over. */
export function removeStream(state: ConnectionState, stream: StreamState, closer: Closer): void {
  if (!state.streams.delete(stream.id)) return;
  state.closedStreams.add(stream.id, closer);
  state.ready.delete(stream);
  state.stalled.delete(stream);
  stream.queue.length = 0;
  clearTimeout(stream.endTimer);
  admitStream(state, stream, false);
  hold(state, -stream.held);
  // Later: the last frames of the stream may just be put together.
  if (state.retiring) queueMicrotask(() => closeIfDone(state));
}

/** Removes a stream when both sides have ended. */
export function removeIfDone(state: ConnectionState, stream: StreamState): void {
  if (stream.remoteEnded && stream.localSent) removeStream(state, stream, "peer");
}

/** Closes a connection that takes no more streams, when the last is over and all is sent. */
export function closeIfDone(state: ConnectionState): void {
  const { retiring, over, streams, unsent, control } = state;
  if (!retiring || over || streams.size > 0 || unsent > 0 || control.length > 0) return;
  finish(state, undefined, true);
}

/** Ends the connection and aborts its streams. `gently` sends what was written before it closes. */
export function finish(state: ConnectionState, error: Error | undefined, gently = false): void {
  if (state.over) return;
  state.over = true;
  state.error = error;
  clearTimeout(state.timer);
  clearTimeout(state.goAwayTimer);
  const { socket } = state.options;
  const code = error instanceof H2Error && H2_CODE[error.code] !== 0 ? error.code : "LOST";
  const streams = [...state.streams.values()];
  state.streams.clear();
  state.ready.clear();
  state.stalled.clear();
  state.control = [];
  for (const stream of streams) {
    clearTimeout(stream.endTimer);
    admitStream(state, stream, false);
    stream.listener?.aborted(code, error);
  }
  if (gently && !socket.destroyed) {
    state.timer = setTimeout(() => socket.destroy(), CLOSE_MS);
    socket.end();
  } else {
    socket.destroy();
  }
}
