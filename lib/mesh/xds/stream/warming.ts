/**
 * New clusters that a client does not use yet, because it has no endpoints of them.
 *
 * @module
 */

/** The clusters of one stream that are warming. */
export class Warming {
  /**
   * Clusters sent before the client subscribed to their endpoints, if it may have the endpoints
   * already.
   */
  readonly #early = new Set<string>();
  /**
   * New clusters whose endpoints the client has not acknowledged; until then, routes to them would
   * cause 503 responses.
   */
  readonly #cold = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** True: what refers to clusters waits. */
  get isCold(): boolean {
    return this.#cold.size > 0;
  }

  /** A cluster was sent before the client subscribed to endpoints. */
  sentEarly(name: string): void {
    this.#early.add(name);
  }

  /** The client subscribes to endpoints. Returns the clusters that were sent before. */
  takeEarly(): string[] {
    const names = [...this.#early];
    this.#early.clear();
    return names;
  }

  /** The client is to ask for the endpoints of a new cluster. */
  waitFor(name: string): void {
    this.#cold.add(name);
  }

  /** The client took endpoints, or rejected them: they are no longer waited for. */
  arrived(name: string): void {
    this.#cold.delete(name);
  }

  /** Waits no longer for clusters whose endpoints are gone. */
  keep(hasEndpoints: (name: string) => boolean): void {
    for (const name of this.#cold) if (!hasEndpoints(name)) this.#cold.delete(name);
  }

  /** Limits the wait, because a client need not subscribe to endpoints. `over` is called at its end. */
  limit(ms: number, over: () => void): void {
    if (this.#cold.size === 0) return this.stop();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#cold.clear();
      over();
    }, ms);
  }

  /** Ends the timer. */
  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
