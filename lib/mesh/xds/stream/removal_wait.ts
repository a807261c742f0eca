/**
 * The wait of removals, until a client no longer refers to what is removed.
 *
 * @module
 */

/** The bounds of the wait, milliseconds. */
export interface RemovalBounds {
  /** Idle time on the stream before removals are sent. */
  readonly settleMs: number;
  /** Longest time removals wait, for quiet and for acknowledgements. */
  readonly drainMs: number;
}

/** The wait of the removals of one stream. All times are those of `ServerContext.now`. */
export class RemovalWait {
  #messageAt = -Infinity;
  #since: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** A message was sent or received. */
  messagePassed(now: number): void {
    this.#messageAt = now;
  }

  /** True: a message passed just now. */
  isLively(now: number, { settleMs }: RemovalBounds): boolean {
    return now - this.#messageAt < settleMs;
  }

  /** Removals wait, from now on or still. */
  begin(now: number): void {
    this.#since ??= now;
  }

  /** No removal waits. */
  end(): void {
    this.#since = undefined;
  }

  /**
   * Milliseconds until removals may be sent, as far as known; `undefined` if none waits.
   *
   * @param isAnswered the client answered everything
   */
  left(now: number, isAnswered: boolean, { settleMs, drainMs }: RemovalBounds): number | undefined {
    if (this.#since === undefined) return undefined;
    const latest = this.#since + drainMs - now;
    return isAnswered ? Math.min(latest, this.#messageAt + settleMs - now) : latest;
  }

  /** Calls a function later, and no other one that was set before. */
  later(ms: number, run: () => void): void {
    this.stop();
    this.#timer = setTimeout(run, ms);
  }

  /** Ends the timer. */
  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
