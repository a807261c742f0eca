/**
 * Lines of JSON in a stream of bytes.
 *
 * @module
 */
import { joinedBytes } from "../base/mod.ts";
import { OrchError } from "./error.ts";

/** Longest line, in bytes. Objects of the orchestrator are at most 1.5 MiB, in JSON some more. */
const MAX_LINE = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** Limits of reading lines. */
export interface LineOptions {
  /** Longest time without any byte, in milliseconds. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/**
 * The values of a stream, those of each chunk together.
 *
 * @throws OrchError `orch-timeout` if the stream is silent, `orch-unreachable` if it breaks
 */
export async function* jsonLines<T>(
  stream: ReadableStream<Uint8Array>,
  { idleMs, signal }: LineOptions,
): AsyncGenerator<T[]> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = await readWithin(reader, idleMs, signal);
      if (chunk === undefined) return;
      const values: T[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        const line = decoder.decode(joinedBytes([...parts, chunk.subarray(from, at)]));
        parts = [];
        length = 0;
        from = at + 1;
        if (line.trim() !== "") values.push(JSON.parse(line));
      }
      if (from < chunk.length) {
        parts.push(chunk.subarray(from));
        length += chunk.length - from;
      }
      if (length > MAX_LINE) throw broken(`a line is longer than ${MAX_LINE} bytes`);
      if (values.length > 0) yield values;
    }
  } finally {
    // The reading may be stuck, so its end is not awaited.
    reader.cancel().catch(() => {});
  }
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleMs: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { promise, reject } = Promise.withResolvers<never>();
  const aborted = (): void => reject(signal.reason);
  const timer = setTimeout(() =>
    reject(
      new OrchError("orch-timeout", `the watch was silent for ${idleMs} ms`, {
        status: 0,
        reason: "Timeout",
      }),
    ), idleMs);
  signal.addEventListener("abort", aborted, { once: true });
  if (signal.aborted) aborted();
  try {
    const { done, value } = await Promise.race([reader.read().catch(brokenBy), promise]);
    return done ? undefined : value;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
  }
}

function brokenBy(cause: unknown): never {
  throw broken(cause instanceof Error ? cause.message : String(cause), cause);
}

function broken(message: string, cause?: unknown): OrchError {
  const details = { status: 0, reason: "Broken", cause };
  return new OrchError("orch-unreachable", `the watch broke: ${message}`, details);
}
