/**
 * Bounds of the server: sizes, numbers and times.
 *
 * @module
 */

/** Bounds of the server, {@link LIMITS} where an option is not set. */
export interface XdsLimits {
  /** Bytes of an encoded node. */
  readonly maxNode?: number;
  /** Bytes of one resource name. */
  readonly maxName?: number;
  /** Names one stream may ask for. */
  readonly maxNames?: number;
  /**
   * Approximate maximum bytes of the subscribed names and the reported versions of one stream.
   */
  readonly maxNameBytes?: number;
  /** Bytes of the names of all streams, each name counted once, about. */
  readonly maxNameTable?: number;
  /** Types one stream may ask for. */
  readonly maxTypes?: number;
  /** Bytes of one delta response, about. */
  readonly slice?: number;
  /** Bytes that may wait in the transport of one stream before more is made. */
  readonly pending?: number;
  /**
   * Bytes that clients have yet to take, beyond which no more first syncs begin.
   */
  readonly allowance?: number;
  /** Time for which a slow client keeps its slot, milliseconds. */
  readonly slotMs?: number;
  /**
   * Time without progress after which the stream of a slow client is ended, milliseconds.
   */
  readonly stallMs?: number;
  /** Idle time on a stream before removals are sent, milliseconds. */
  readonly settleMs?: number;
  /** Longest time removals wait, for quiet and for acknowledgements, milliseconds. */
  readonly drainMs?: number;
  /** Longest time that routes wait for a client to take the endpoints of new clusters, milliseconds. */
  readonly warmMs?: number;
  /** Longest time that virtual hosts wait for the answer to those before, milliseconds. */
  readonly answerMs?: number;
  /** Maximum time that a new stream waits for admission, milliseconds. */
  readonly admitMs?: number;
  /** Bytes of first requests of streams that wait for their turn. */
  readonly admitBytes?: number;
}

const MIB = 1024 * 1024;

/** The defaults. */
const LIMITS: Required<XdsLimits> = {
  maxNode: MIB,
  maxName: 2048,
  maxNames: 100_000,
  maxNameBytes: 16 * MIB,
  maxNameTable: 24 * MIB,
  maxTypes: 64,
  // Measured: a quarter less CPU and a seventh less memory than 1 MiB in a first sync.
  slice: 128 * 1024,
  pending: 64 * 1024,
  // As much as eighty clients that do not read hold.
  allowance: 16 * MIB,
  slotMs: 1000,
  stallMs: 30_000,
  settleMs: 1000,
  drainMs: 10_000,
  warmMs: 2000,
  answerMs: 2000,
  admitMs: 30_000,
  admitBytes: 128 * MIB,
};

/** Bounds of a server with options. */
export function limitsOf({ limits }: { readonly limits?: XdsLimits }): Required<XdsLimits> {
  return { ...LIMITS, ...limits };
}
