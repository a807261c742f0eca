/**
 * The account of one connection of the library: the frames it may send, its open streams, and the
 * bytes of messages that no handler has read.
 *
 * @module
 */
import type { Budget } from "../budget.ts";
import type { Visitor } from "../gate.ts";
import { Excess } from "./excess.ts";
import type { FrameHead } from "./inspect.ts";

/** Types and flags of frames, RFC 9113 section 6. */
const TYPE = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, window: 8, more: 9 };
const FLAG = { ack: 1, endStream: 1 };

/** Entries of a SETTINGS frame, 6 bytes each. RFC 9113 defines six settings. */
const MAX_SETTINGS = 32 * 6;
/** Period of the following bounds, ms. */
const PERIOD_MS = 10_000;
/** Resets, empty frames, requests that are not admitted and the like, in a period. */
const MAX_NUISANCE = 2000;
/** Decoded bytes of headers in a period. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
/** Bytes that an open stream counts in addition to its messages. */
const STREAM_BYTES = 4096;
/** Open streams that make a SETTINGS frame, which may change all their windows, one nuisance more. */
const STREAMS_PER_NUISANCE = 64;

/**
 * Time that the library takes for a connection and for a frame, about, ms. It does most of that after
 * the frame was passed on, where it cannot be measured.
 */
const COSTS = { connection: 0.3, headers: 0.1, headerByte: 1e-4, window: 0.01, other: 0.005 };

export interface LedgerOptions {
  readonly visitor: Visitor;
  readonly budget: Budget;
  /** Streams before admission. */
  readonly maxUnadmitted: number;
  /** Bytes of messages that no handler has read. */
  readonly maxHeld: number;
  /** Counts time that the library takes for the connection, ms. */
  readonly charge: (ms: number) => void;
  readonly now: () => number;
}

interface OpenStream {
  held: number;
  admitted: boolean;
  requested: boolean;
}

/** The account of one connection. */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #streams = new Map<number, OpenStream>();
  #admitted = 0;
  #held = 0;
  /** The latest stream of the client. */
  #last = 0;
  #since = 0;
  #nuisance = 0;
  #headerBytes = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Bytes in memory. */
  get held(): number {
    return this.#held;
  }

  get last(): number {
    return this.#last;
  }

  /** True if the number of streams that wait for admission is at its limit. */
  get isFull(): boolean {
    return this.#streams.size - this.#admitted > this.#options.maxUnadmitted;
  }

  /** The library begins with the connection. */
  begin(): void {
    this.#options.charge(COSTS.connection);
  }

  /** Counts a frame of the client. Returns whether the library is to see it. Throws {@link Excess}. */
  received(head: FrameHead): boolean {
    const { type, flags, stream, size } = head;
    this.#charge(head);
    switch (type) {
      case TYPE.goAway:
        return false;
      case TYPE.window:
        return true;
      case TYPE.data:
        this.#content(stream, size, (flags & FLAG.endStream) !== 0);
        return true;
      case TYPE.headers:
      case TYPE.more:
        this.#headers(head);
        return true;
      case TYPE.settings:
        if (flags & FLAG.ack) return true;
        if (size > MAX_SETTINGS) throw new Excess("flood");
        this.#annoy(1 + Math.floor(this.#streams.size / STREAMS_PER_NUISANCE));
        return true;
      case TYPE.ping:
        if ((flags & FLAG.ack) === 0) this.#annoy(1);
        return true;
      case TYPE.reset:
        this.#end(stream);
        this.#annoy(1);
        return true;
      default:
        this.#annoy(1);
        return true;
    }
  }

  /** Counts the decoded bytes of a header list. Throws {@link Excess}. */
  decoded(bytes: number): void {
    this.#annoy(0, bytes);
  }

  /** Counts a frame of the server. */
  sent({ type, flags, stream }: FrameHead): boolean {
    const ends = type === TYPE.reset ||
      ((type === TYPE.data || type === TYPE.headers) && (flags & FLAG.endStream) !== 0);
    if (ends) this.#end(stream);
    return true;
  }

  /** A handler serves the client of a stream. */
  admit(id: number): void {
    const stream = this.#streams.get(id);
    if (!stream || stream.admitted) return;
    stream.admitted = true;
    this.#admitted++;
    if (this.#nuisance > 0) this.#nuisance--;
    this.#options.visitor.admitted(1);
  }

  /** Records that a handler read a message, with its bytes. */
  read(id: number, bytes: number): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#hold(stream, -Math.min(bytes, stream.held));
    if (stream.requested) return;
    stream.requested = true;
    this.#options.visitor.requested(1);
  }

  /** Counts bytes that wait to be passed on; negative when they were. */
  wait(bytes: number): void {
    this.#held += bytes;
    this.#options.budget.change(bytes);
  }

  /** The connection is over. */
  close(): void {
    for (const id of [...this.#streams.keys()]) this.#end(id);
  }

  #charge({ type, size }: FrameHead): void {
    const { charge } = this.#options;
    if (type === TYPE.headers) charge(COSTS.headers + size * COSTS.headerByte);
    else charge(type === TYPE.window ? COSTS.window : COSTS.other);
  }

  #headers({ type, stream }: FrameHead): void {
    this.#annoy(1);
    if (type !== TYPE.headers || stream <= this.#last) return;
    this.#last = stream;
    const open = { held: 0, admitted: false, requested: false };
    this.#streams.set(stream, open);
    this.#hold(open, STREAM_BYTES);
  }

  #content(id: number, size: number, end: boolean): void {
    if (size === 0 && !end) this.#annoy(1);
    const stream = this.#streams.get(id);
    if (!stream) return this.#annoy(1);
    this.#hold(stream, size);
    if (this.#held > this.#options.maxHeld) throw new Excess("connection-memory");
  }

  #hold(stream: OpenStream, bytes: number): void {
    stream.held += bytes;
    this.#held += bytes;
    this.#options.budget.change(bytes);
  }

  #end(id: number): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#streams.delete(id);
    this.#hold(stream, -stream.held);
    if (stream.admitted) {
      this.#admitted--;
      this.#options.visitor.admitted(-1);
    }
    if (stream.requested) this.#options.visitor.requested(-1);
  }

  /** Counts frames that cost work and mean little, and bytes of headers. */
  #annoy(weight: number, headerBytes = 0): void {
    const now = this.#options.now();
    if (now - this.#since > PERIOD_MS) {
      this.#since = now;
      this.#nuisance = this.#headerBytes = 0;
    }
    this.#nuisance += weight;
    this.#headerBytes += headerBytes;
    if (this.#nuisance > MAX_NUISANCE) throw new Excess("flood");
    if (this.#headerBytes > MAX_HEADER_BYTES) throw new Excess("header-rate");
  }
}
