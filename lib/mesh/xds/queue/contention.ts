/**
 * The rules for clients that do not read while others wait for a slot or for the allowance of bytes.
 * All times in milliseconds.
 *
 * @module
 */

/** Time between two reviews while members wait that cannot begin. */
export const REVIEW_MS = 10;
/**
 * Time for which a client that does not read keeps its slot when one other member waits. It is
 * divided by the number of waiting members, so that all slots change hands in this time.
 */
const HOLD_MS = 250;
const HOLD_LEAST_MS = 5;
/**
 * A client that has read no byte for this time no longer counts for the allowance: its bytes are
 * parked.
 */
const PARK_MS = 250;
/** Bytes parked, beyond which the client that has taken nothing for the longest time is given up. */
const MAX_PARKED = 40 * 1024 * 1024;
/** Minimum time without progress before a client is disconnected because of memory. */
const GIVE_UP_MS = 1000;

/** A member that waits for its client. */
export interface Holder {
  slot: boolean;
  /** Bytes that count for the allowance. */
  counted: number;
  /** Bytes it is parked with. */
  parked: number;
  /** Start of the wait. */
  blockedAt: number;
  /** Time of the last progress, as far as reviews saw it. */
  progressAt: number;
  /** Bytes that the client had yet to take in the last review. */
  left: number;
}

/** The state of the queue at a review. */
export interface Pressure<H> {
  readonly now: number;
  /** Members that wait for a turn. */
  readonly waiting: number;
  readonly slots: number;
  /** Bytes that a holder's client has yet to take. */
  readonly left: (holder: H) => number;
}

/** Actions on slot holders. */
export interface Review<H> {
  /** Holders that lose their slot. */
  readonly leave: readonly H[];
  /** Holders that no longer count for the allowance. */
  readonly park: readonly H[];
  readonly giveUp: readonly H[];
}

/** Reviews the members that wait for their clients, and notes the progress of each. */
export function reviewHolders<H extends Holder>(
  holders: Iterable<H>,
  { now, waiting, slots, left }: Pressure<H>,
): Review<H> {
  const hold = Math.min(HOLD_MS, Math.max(HOLD_LEAST_MS, HOLD_MS * slots / waiting));
  const leave: H[] = [];
  const park: H[] = [];
  const stalled: H[] = [];
  let parked = 0;
  for (const holder of holders) {
    const bytes = left(holder);
    if (bytes < holder.left) [holder.left, holder.progressAt] = [bytes, now];
    if (holder.slot && now - holder.blockedAt >= hold) leave.push(holder);
    parked += holder.parked;
    const quiet = now - holder.progressAt;
    if (holder.counted > 0 && quiet >= PARK_MS) park.push(holder);
    if (holder.parked > 0 && quiet >= GIVE_UP_MS) stalled.push(holder);
  }
  const excess = parked + park.reduce((sum, { counted }) => sum + counted, 0) - MAX_PARKED;
  if (excess <= 0) return { leave, park, giveUp: [] };
  stalled.sort((a, b) => a.progressAt - b.progressAt);
  let freed = 0;
  const giveUp = stalled.filter(({ parked }) => (freed += parked) - parked < excess);
  return { leave, park: parked < MAX_PARKED ? park : [], giveUp };
}
