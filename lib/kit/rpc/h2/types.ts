/**
 * The interface of a connection: its options, its streams, and what listens to them.
 *
 * @module
 */
import type { Buffer } from "node:buffer";
import type { Refusal } from "../refused.ts";
import type { Turns } from "../turns.ts";
import type { H2Code } from "./error.ts";
import type { Headers } from "./hpack.ts";

/** The part of a socket that is used, plain or TLS. */
export interface SocketLike {
  readonly destroyed: boolean;
  write(bytes: Uint8Array, taken: (error?: Error | null) => void): boolean;
  /** Sends what was written and closes. */
  end(): unknown;
  destroy(): unknown;
  /** Stops reading. */
  pause(): unknown;
  resume(): unknown;
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** Listens to a stream. */
export interface StreamListener {
  /** Response headers, or trailers of either side. */
  headers(headers: Headers, end: boolean): void;
  /** Content. The bytes are a part of the received bytes; a listener copies what it keeps. */
  data(bytes: Uint8Array, end: boolean): void;
  /** The stream ended early: reset by either side, or lost with the connection. */
  aborted(code: H2Code | "LOST", error?: Error): void;
}

/** A stream of a connection. */
export interface H2Stream {
  readonly id: number;
  /** Queues the first headers: they are sent with the content that the caller queues next. */
  begin(headers: Headers): void;
  /**
   * Sends headers, or trailers behind all data queued before. A server resets a stream whose end
   * the client does not read for half a minute.
   */
  headers(headers: Headers, end: boolean): void;
  /** Queues content. `taken` is called when the socket took the last of it, not if the stream ends before. */
  data(parts: readonly Uint8Array[], taken: () => void): void;
  /** Drops the content that is queued. */
  discard(): void;
  /** Ends our side behind all data queued before; for clients. */
  end(): void;
  /** Lets the peer send more bytes. */
  credit(bytes: number): void;
  /** Counts bytes kept in memory for the stream; negative when they are released. */
  hold(bytes: number): void;
  /** Counts the stream as admitted or not, see `RpcCall.admit`; streams begin as not admitted. */
  admit(isAdmitted: boolean): void;
  /** Ends the stream at once; what is queued is lost. The listener is not called. */
  reset(code: H2Code): void;
}

/** Observed events of a connection, for limits over all connections. */
export interface ConnectionObserver {
  /** Identifies the share of time that the connection has, see `Task.party`. */
  readonly party: object;
  /** Something was refused on the connection, or the connection itself. */
  refused(reason: Refusal): void;
  /** A stream was admitted, or an admitted stream ended. */
  admitted(change: 1 | -1): void;
  /** The bytes in memory for the connection changed. May end the connection. */
  held(change: number): void;
}

export interface ConnectionOptions {
  readonly role: "server" | "client";
  readonly socket: SocketLike;
  /** Maximum concurrent streams, as sent to the peer. */
  readonly maxStreams: number;
  /** Streams of the peer that may be open at the same time before they are admitted (default: `maxStreams`). */
  readonly maxUnadmitted?: number;
  /** Bytes that may be in memory for all streams together (default 64 MiB). */
  readonly maxHeld?: number;
  /** Bytes the peer may send on a stream, and on all of them, before credit is given. */
  readonly window: number;
  readonly keepalive?: { readonly interval: number; readonly timeout: number };
  /** Shares the time for reading with other connections; without it, all input is handled at once. */
  readonly turns?: Turns;
  readonly observer?: ConnectionObserver;
  /** Called for a stream of the peer. */
  readonly accept?: (stream: H2Stream, headers: Headers, end: boolean) => StreamListener;
  /** The connection is over and its socket closed; its streams were aborted before. */
  readonly closed: (error: Error | undefined) => void;
}

export interface Connection {
  /**
   * Opens a stream; for clients. Beyond the peer's SETTINGS_MAX_CONCURRENT_STREAMS nothing is sent,
   * and the listener gets REFUSED_STREAM.
   */
  open(headers: Headers, listener: StreamListener): H2Stream;
  /** Sends GOAWAY; the connection closes when the last stream ends. */
  retire(): void;
  /** Ends everything at once. */
  destroy(): void;
  /** Open streams. */
  readonly streams: number;
  /** Bytes in memory for the peer's input. */
  readonly held: number;
}
