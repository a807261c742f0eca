/**
 * The time of a renewal, by clocks that are handed in.
 *
 * @module
 */

/** A certificate's lifetime and the time now, ms since 1970, with the settings of renewal. */
export interface RenewalInput {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly now: number;
  /** Part of the lifetime that remains at the renewal. */
  readonly ratio: number;
  /** Random variation of `ratio`, up and down. */
  readonly jitter: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** Time until the renewal, ms; 0 when it is due. */
export function renewalIn(input: RenewalInput): number {
  const { notBefore, notAfter, now, ratio, jitter, random } = input;
  const varied = Math.min(1, Math.max(0, ratio + jitter * (random * 2 - 1)));
  return Math.max(0, notAfter - (notAfter - notBefore) * varied - now);
}

/** Longest sleep before the clock is read again, ms: it may jump, or the machine may have slept. */
const LOOK_MS = 30_000;

/** Input of {@link untilRenewal}. */
export interface RenewalWait extends Omit<RenewalInput, "now"> {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Sleeps some milliseconds, or until the end of the wait. */
  readonly sleep: (ms: number) => Promise<unknown>;
  /** True: the wait ends early. */
  readonly hasEnded: () => boolean;
}

/** Waits until the renewal is due by the clock, also after the clock jumped. */
export async function untilRenewal(wait: RenewalWait): Promise<void> {
  const { clock, sleep, hasEnded } = wait;
  while (!hasEnded()) {
    const left = renewalIn({ ...wait, now: clock() });
    if (left === 0) return;
    await sleep(Math.min(left, LOOK_MS));
  }
}
