/**
 * The fence of a term: a process that was paused, or that lost the API server, does not write before it
 * knows that it still holds its lease.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";

/** A moment by both clocks of the machine, ms. */
export interface Moment {
  /** `performance.now()`: it goes on while the process is stopped, but not while the machine sleeps. */
  readonly monotonic: number;
  /** `Date.now()`: it goes on while the machine sleeps, and jumps when it is set. */
  readonly wall: number;
}

/** The clocks of the machine. */
export function systemMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/**
 * The time between two moments, ms: the longer one of both clocks. A clock that was set forward only
 * makes a lease look older; one that was set back is overruled by the monotonic one.
 */
export function ageOf(then: Moment, now: Moment): number {
  return Math.max(now.monotonic - then.monotonic, now.wall - then.wall);
}

/** Input of {@link createFence}. */
export interface FenceOptions {
  /** The attempt that won the lease began then. */
  readonly renewedAt: Moment;
  /** Writes need a renewal that began within this time, in milliseconds. */
  readonly fenceMs: number;
  /** Aborted at the end of the term. */
  readonly signal: AbortSignal;
  readonly now: () => Moment;
}

/** Lets writes pass while the lease is certainly held. */
export interface Fence {
  /** Reports an attempt to renew the lease; `renewedAt`: it succeeded, and began then. */
  attempted(renewedAt: Moment | undefined): void;
  /**
   * Resolves at once after a recent renewal, else after the next one.
   *
   * @throws MeshError `lease-lost` at the end of the term
   */
  pass(): Promise<void>;
}

/** A fence for one term. */
export function createFence({ renewedAt, fenceMs, signal, now }: FenceOptions): Fence {
  let last = renewedAt;
  let next = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => next.resolve(), { once: true });
  return {
    attempted(renewed) {
      last = renewed ?? last;
      next.resolve();
      next = Promise.withResolvers();
    },
    async pass() {
      for (;;) {
        if (signal.aborted) throw new MeshError("lease-lost", "another daemon may lead now");
        if (ageOf(last, now()) <= fenceMs) return;
        await next.promise;
      }
    },
  };
}
