/**
 * The proxy's log on its way through the agent, which keeps the last lines for the report of its end.
 *
 * @module
 */
import { endsWithin } from "../../kit/async/mod.ts";

/** A log that is passed on. */
export interface LogTail {
  /** The last lines, the newest last; waits a moment for the end of the log. */
  lastLines(): Promise<readonly string[]>;
}

/** Bytes that are kept. */
const KEPT = 4096;
const LINES = 12;
/** Time in which the rest of a log arrives after the exit, ms. */
const REST_MS = 250;

/** Passes a log on unchanged. If it cannot be written, it is read on, so that the proxy does not wait. */
export function passOn(
  log: ReadableStream<Uint8Array>,
  to: { write(bytes: Uint8Array): Promise<number> },
): LogTail {
  let kept = new Uint8Array(0);
  const passing = (async () => {
    for await (const chunk of log) {
      kept = lastBytes(kept, chunk);
      await writeAll(to, chunk).catch(() => {});
    }
  })().catch(() => {});
  return {
    async lastLines() {
      await endsWithin(REST_MS, passing);
      return linesOf(kept);
    },
  };
}

async function writeAll(
  to: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

function lastBytes(before: Uint8Array, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const rest = before.subarray(Math.max(0, before.length + chunk.length - KEPT));
  const last = chunk.subarray(Math.max(0, chunk.length - KEPT));
  const both = new Uint8Array(rest.length + last.length);
  both.set(rest);
  both.set(last, rest.length);
  return both;
}

/** Whole lines; the first one may have been cut, if as many bytes as are kept came before. */
function linesOf(bytes: Uint8Array): string[] {
  const text = new TextDecoder().decode(bytes);
  const lines = text.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
  return (bytes.length === KEPT ? lines.slice(1) : lines).slice(-LINES);
}
