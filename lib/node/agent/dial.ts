/**
 * Connects to the daemon: attempts with growing, jittered pauses.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { daemonFailures } from "./metrics.ts";
import { hostPort } from "./telemetry.ts";

/** Pauses between attempts. */
export interface Backoff {
  /** First pause, ms. */
  readonly first: number;
  /** Longest pause, ms. */
  readonly longest: number;
}

/** Fast enough after a restart of the daemon, and spread enough for many proxies. */
const PRODUCTION: Backoff = { first: 200, longest: 10_000 };
const GROWTH = 1.6;
/** Timeout of an attempt, ms. */
const ATTEMPT_MS = 10_000;

const log = scope("xdsproxy");

/**
 * Returns the pause after a number of failures (from 1): it grows to the longest, and half of it is
 * random.
 */
export function pauseAfter(failures: number, { first, longest }: Backoff, random: number): number {
  const full = Math.min(longest, first * GROWTH ** (failures - 1));
  return full / 2 + random * full / 2;
}

/**
 * Waits until the address accepts connections. A stream that is opened earlier would read messages
 * of the proxy and lose them.
 *
 * @returns false if `signal` aborted the wait
 */
export async function dial(
  target: string,
  signal: AbortSignal,
  backoff: Backoff = PRODUCTION,
): Promise<boolean> {
  for (let failures = 1; !signal.aborted; failures++) {
    const fault = await attempt(target);
    if (fault === undefined) return !signal.aborted;
    daemonFailures.inc();
    const pause = pauseAfter(failures, backoff, Math.random());
    const line = { address: target, reason: fault, retryMs: Math.round(pause) };
    if (failures === 1) log.warn("the daemon cannot be reached", line);
    else log.debug("the daemon still cannot be reached", line);
    await sleep(pause, signal);
  }
  return false;
}

/** Makes one attempt; returns the reason of a failure. */
async function attempt(target: string): Promise<string | undefined> {
  const { host, port } = hostPort("discoveryAddress", target);
  try {
    const conn = await Deno.connect({
      hostname: host,
      port,
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    conn.close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Resolves after some milliseconds, or when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
