/**
 * The wait of virtual hosts for the client's answer to those before. A client builds the whole route
 * table again for each response, so that changes which arrive meanwhile are sent as one.
 *
 * @module
 */
import { TYPE_URLS } from "../../model/mod.ts";
import type { Subscription } from "../subscription/mod.ts";

/** The wait of one stream. All times are those of `ServerContext.clock`. */
export class AnswerWait {
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Milliseconds that changes of a type wait for an answer; 0 if they do not.
   *
   * @param answerMs longest wait
   */
  static left({ type, outstanding }: Subscription, now: number, answerMs: number): number {
    const last = type.url === TYPE_URLS.virtualHost ? outstanding.at(-1) : undefined;
    return last === undefined ? 0 : Math.max(0, last.time + answerMs - now);
  }

  /** Calls a function when the longest wait is over, in place of one that was set before. */
  limit(ms: number, over: () => void): void {
    this.stop();
    if (ms > 0) this.#timer = setTimeout(over, ms);
  }

  /** Ends the timer. */
  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
