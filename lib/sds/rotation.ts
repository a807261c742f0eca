/**
 * The time of a renewal.
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
