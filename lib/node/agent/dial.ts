/**
 * Connects to the daemon: attempts with growing, jittered pauses.
 *
 * @module
 */
import { type Backoff, jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { daemonFailures } from "./metrics.ts";
import { hostPort } from "./telemetry.ts";

/** Fast enough after a restart of the daemon, and spread enough for many proxies. */
const PRODUCTION: Backoff = { first: 200, longest: 10_000 };
/** Timeout of an attempt, ms. */
const ATTEMPT_MS = 10_000;

const log = scope("xdsproxy");

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
    const pause = jittered(pauseAfter(failures, backoff));
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
