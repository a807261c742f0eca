/**
 * A limit of a rate: each use takes a token, and tokens come back at the rate.
 *
 * @module
 */

/** A rate with what may be used at once. */
export interface TokenRate {
  /** Tokens that come back in a second; above 0. */
  readonly perSecond: number;
  /** Tokens of a full bucket: what may be used at once after a quiet time. */
  readonly burst: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** A bucket, full at first. It needs no timer: it is filled when it is asked. */
export class TokenBucket {
  readonly #rate: TokenRate;
  #tokens: number;
  #filledAt: number;

  /** Buckets of one rate share it. */
  constructor(rate: TokenRate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = rate.now();
  }

  /** Takes a token; false when there is none. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /**
   * Takes a token, also one that is still to come. Each caller has its own: tokens are given out in the
   * order of calls.
   *
   * @returns milliseconds until the token is there
   */
  reserve(): number {
    this.#fill();
    this.#tokens--;
    return Math.max(0, -this.#tokens / this.#rate.perSecond * 1000);
  }

  /** Returns a token that was taken and not used. */
  giveBack(): void {
    this.#tokens++;
  }

  /** Milliseconds until {@link take} finds a token. */
  wait(): number {
    this.#fill();
    return Math.max(0, (1 - this.#tokens) / this.#rate.perSecond * 1000);
  }

  #fill(): void {
    const { perSecond, burst, now } = this.#rate;
    const at = now();
    this.#tokens = Math.min(burst, this.#tokens + (at - this.#filledAt) / 1000 * perSecond);
    this.#filledAt = at;
  }
}
