/** True for the reason with which {@link withDeadline} ends work that takes too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/**
 * Calls `work` with a signal. After `ms` milliseconds, or once `ended` is aborted, the signal is
 * aborted and the result rejected: with a `TimeoutError`, or with the reason of `ended`.
 */
export async function withDeadline<T>(
  ms: number,
  ended: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  ended.throwIfAborted();
  const ending = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    ending.abort(reason);
    over.reject(reason);
  };
  const onEnded = () => end(ended.reason);
  ended.addEventListener("abort", onEnded, { once: true });
  const timer = setTimeout(() => end(new DOMException("took too long", "TimeoutError")), ms);
  try {
    return await Promise.race([work(ending.signal), over.promise]);
  } finally {
    clearTimeout(timer);
    ended.removeEventListener("abort", onEnded);
  }
}
