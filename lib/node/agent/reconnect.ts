/**
 * Connections to the daemon without a storm: the streams of an agent share the attempts to reach it,
 * and streams that the daemon ends at once are followed by growing, jittered pauses.
 *
 * @module
 */
import { type Backoff, jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { RpcError, type RpcStatus } from "../../kit/rpc/mod.ts";
import { dial } from "./dial.ts";

/** Pauses after streams that the daemon ended at once; the default is for production. */
const PAUSES: Backoff = { first: 200, longest: 10_000 };
/** A stream that lasted so long (ms) was a success. */
const LASTING_MS = 10_000;

/** Statuses of a daemon that is overloaded or ends. Others concern one stream. */
const PASSING: ReadonlySet<RpcStatus> = new Set(["UNAVAILABLE", "RESOURCE_EXHAUSTED"]);

/** Reaches one daemon for the streams of an agent. */
export class Reconnector {
  readonly #target: string;
  readonly #backoff: Backoff | undefined;
  /** Streams in a row that the daemon ended at once. */
  #failures = 0;
  /** Time of the last of them, monotonic ms. */
  #failedAt = -Infinity;
  #shared: Attempts | undefined;

  /**
   * @param target the daemon, `host:port`
   * @param backoff pauses of both kinds; default: those for production
   */
  constructor(target: string, backoff?: Backoff) {
    this.#target = target;
    this.#backoff = backoff;
  }

  /** Resolves when a stream may be opened; with false if `signal` aborted the wait. */
  async connected(signal: AbortSignal): Promise<boolean> {
    if (this.#failures > 0) {
      await sleep(jittered(pauseAfter(this.#failures, this.#backoff ?? PAUSES)), signal);
    }
    if (signal.aborted) return false;
    this.#shared ??= this.#attempt();
    return await this.#shared.wait(signal);
  }

  /**
   * Notes that the daemon ended a stream, or that its connection was lost. Streams that end together
   * count as one.
   *
   * @param opened time when the stream was opened, monotonic ms
   */
  streamEnded(opened: number, error: unknown): void {
    const isPassing = error instanceof RpcError && PASSING.has(error.status);
    if (!isPassing || opened < this.#failedAt) return;
    this.#failedAt = performance.now();
    this.#failures = this.#failedAt - opened > LASTING_MS ? 0 : this.#failures + 1;
  }

  #attempt(): Attempts {
    const attempts = new Attempts((signal) =>
      dial(this.#target, signal, this.#backoff).finally(() => {
        if (this.#shared === attempts) this.#shared = undefined;
      })
    );
    return attempts;
  }
}

/** Attempts that end with the last one who waits for them. */
class Attempts {
  readonly #giveUp = new AbortController();
  readonly #reached: Promise<boolean>;
  #waiting = 0;

  constructor(start: (signal: AbortSignal) => Promise<boolean>) {
    this.#reached = start(this.#giveUp.signal);
  }

  async wait(signal: AbortSignal): Promise<boolean> {
    this.#waiting++;
    const left = Promise.withResolvers<boolean>();
    const leave = () => left.resolve(false);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([this.#reached, left.promise]) && !signal.aborted;
    } finally {
      signal.removeEventListener("abort", leave);
      if (--this.#waiting === 0) this.#giveUp.abort();
    }
  }
}
