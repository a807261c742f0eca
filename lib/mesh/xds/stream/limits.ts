/**
 * Bounds of the server: sizes, numbers and times.
 *
 * @module
 */

/** Bounds of the server, {@link LIMITS} where an option is not set. */
export interface XdsLimits {
  /** Bytes of an encoded node (1 MiB). */
  readonly maxNode?: number;
  /** Bytes of one resource name (2048). */
  readonly maxName?: number;
  /** Names one stream may ask for (100,000). */
  readonly maxNames?: number;
  /**
   * Approximate maximum bytes of the subscribed names and the reported versions of one stream (16
   * MiB).
   */
  readonly maxNameBytes?: number;
  /** Bytes of the names of all streams, each name counted once, about (24 MiB). */
  readonly maxNameTable?: number;
  /** Types one stream may ask for (64). */
  readonly maxTypes?: number;
  /** Bytes of one delta response, about (128 KiB: measured, a quarter less CPU and a seventh less memory than 1 MiB in a first sync). */
  readonly slice?: number;
  /** Bytes that may wait in the transport of one stream before more is made (64 KiB). */
  readonly pending?: number;
  /**
   * Bytes that clients have yet to take, beyond which no more first syncs begin (16 MiB: as much as
   * eighty clients that do not read hold).
   */
  readonly allowance?: number;
  /** Time for which a slow client keeps its slot, milliseconds (1 s). */
  readonly slotMs?: number;
  /**
   * Time without progress after which the stream of a slow client is ended, milliseconds (30 s).
   */
  readonly stallMs?: number;
  /** Idle time on a stream before removals are sent, milliseconds (1 s). */
  readonly settleMs?: number;
  /** Longest time removals wait, for quiet and for acknowledgements, milliseconds (10 s). */
  readonly drainMs?: number;
  /** Longest time that routes wait for a client to take the endpoints of new clusters, milliseconds (2 s). */
  readonly warmMs?: number;
  /** Maximum time that a new stream waits for admission, milliseconds (30 s). */
  readonly admitMs?: number;
  /** Bytes of first requests of streams that wait for their turn (128 MiB). */
  readonly admitBytes?: number;
}

const MIB = 1024 * 1024;

/** The defaults. */
export const LIMITS: Required<XdsLimits> = {
  maxNode: MIB,
  maxName: 2048,
  maxNames: 100_000,
  maxNameBytes: 16 * MIB,
  maxNameTable: 24 * MIB,
  maxTypes: 64,
  slice: 128 * 1024,
  pending: 64 * 1024,
  allowance: 16 * MIB,
  slotMs: 1000,
  stallMs: 30_000,
  settleMs: 1000,
  drainMs: 10_000,
  warmMs: 2000,
  admitMs: 30_000,
  admitBytes: 128 * MIB,
};

/** Bounds of a server with options. */
export function limitsOf({ limits }: { readonly limits?: XdsLimits }): Required<XdsLimits> {
  return { ...LIMITS, ...limits };
}
