/**
 * Admission of new streams at a limited rate. Other streams wait in a line in which source
 * addresses take turns, and the connections of an address take turns among themselves. Nothing of a
 * stream is decoded before its turn. When the line is full, the address with more than its share is
 * refused, not the newest stream. A stream that ends while it waits leaves the line and costs
 * nothing.
 *
 * @module
 */
import { fairLine, type LineMember, TokenBucket } from "../../../kit/async/mod.ts";

/** The bounds of admission. */
export interface AdmissionOptions {
  /** Streams per second. After an idle second, a burst of this size is admitted. */
  readonly rate: number;
  /** Longest wait, milliseconds. The line holds as many streams as are admitted in this time. */
  readonly maxWaitMs: number;
  /** Bytes of first requests in the line. */
  readonly maxBytes: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A new stream. */
export interface Applicant {
  /** `address:port`, or `unix`. */
  readonly peer: string;
  /** Bytes of its first request. */
  readonly bytes: number;
  /** Resolves when the stream is over. */
  readonly ended: Promise<unknown>;
}

/** `full`, `late`: refused, because the line was full or the wait too long. `gone`: the stream ended. */
export type AdmissionResult = "admitted" | "full" | "late" | "gone";

/** Admits streams. */
export interface Admission {
  /** Resolves when it is the stream's turn, or when it gets none. */
  turn(applicant: Applicant): Promise<AdmissionResult>;
  /** Returns an unused admission, because the stream ended right after it. */
  giveBack(): void;
  /** Streams in the line. */
  readonly waiting: number;
}

/** The address of a peer, without its port. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, "");
}

interface Waiter extends LineMember {
  readonly since: number;
  readonly resolve: (result: AdmissionResult) => void;
}

/** Creates an admission without waiting streams. */
export function admission(options: AdmissionOptions): Admission {
  const { rate, maxWaitMs, maxBytes, now } = options;
  const leastWeight = Math.ceil(maxBytes / Math.max(1, Math.floor(rate * maxWaitMs / 1000)));
  const line = fairLine<Waiter>(maxBytes);
  const bucket = new TokenBucket({ perSecond: rate, burst: Math.max(1, rate), now });
  let timer: ReturnType<typeof setTimeout> | undefined;

  const settle = (waiter: Waiter, result: AdmissionResult): void => {
    if (line.delete(waiter)) waiter.resolve(result);
  };
  const run = (): void => {
    timer = undefined;
    for (const waiter of line.members()) {
      if (now() - waiter.since <= maxWaitMs) break;
      settle(waiter, "late");
    }
    while (line.size > 0 && bucket.take()) line.take()!.resolve("admitted");
    arm();
  };
  const arm = (): void => {
    if (line.size > 0) timer ??= setTimeout(run, Math.max(1, bucket.wait()));
  };
  const leave = (waiter: Waiter): void => {
    settle(waiter, "gone");
    if (line.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };

  return {
    turn({ peer, bytes, ended }) {
      if (line.size === 0 && bucket.take()) return Promise.resolve("admitted");
      return new Promise((resolve) => {
        const weight = Math.max(leastWeight, bytes);
        const waiter: Waiter = {
          source: addressOf(peer),
          connection: peer,
          weight,
          since: now(),
          resolve,
        };
        for (const refused of line.add(waiter)) refused.resolve("full");
        void ended.then(() => leave(waiter));
        arm();
      });
    },
    giveBack: () => bucket.giveBack(),
    get waiting() {
      return line.size;
    },
  };
}
