/**
 * Waits until an address answers with status 200: the command of a `postStart` hook that holds the
 * application until the proxy is ready.
 *
 * @module
 */
import { sleep } from "../../lib/kit/async/mod.ts";
import { MeshError } from "../../lib/kit/base/mod.ts";

/** An address and its times, in milliseconds. */
export interface WaitOptions {
  readonly url: string;
  /** The whole wait. */
  readonly timeoutMs: number;
  readonly requestTimeoutMs: number;
  /** From the end of a request to the next one. */
  readonly periodMs: number;
}

/**
 * Asks until the answer is 200.
 *
 * @throws MeshError `not-ready` with the last answer when the time is over
 */
export async function waitUntilReady(
  { url, timeoutMs, requestTimeoutMs, periodMs }: WaitOptions,
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  let last = "no answer";
  do {
    signal.throwIfAborted();
    last = await answerOf(url, AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]));
    if (last === "200") return;
    await sleep(Math.max(0, Math.min(periodMs, end - performance.now())), signal);
  } while (performance.now() < end);
  throw new MeshError("not-ready", `${url} was not ready within ${timeoutMs} ms: ${last}`, {
    remedy: "Look at the agent's log for the reason, or give a longer --timeoutSeconds.",
  });
}

/** The status, or the fault. */
async function answerOf(url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { signal });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
