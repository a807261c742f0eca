import type { Io } from "./spec.ts";

/** Standard output and error of this process. */
export const processIo: Io = {
  out: (text) => writeAll(Deno.stdout, text),
  err: (text) => writeAll(Deno.stderr, text),
};

/** A reader that went away (`… | head`) is no failure of the program. */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** The signals that ask a program to end, and the exit status by which shells name them. */
const ENDING: readonly (readonly [Deno.Signal, number])[] = [["SIGINT", 130], ["SIGTERM", 143]];

/**
 * A signal that is aborted when the process is asked to end by SIGINT or SIGTERM. When it is
 * asked again, `onSecond` is called with the exit status to leave with at once. Disposing gives
 * the signals back.
 */
export function shutdownSignal(
  onSecond: (status: number) => void,
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const listeners = ENDING.map(([name, status]) => {
    const listener = () => {
      if (controller.signal.aborted) onSecond(status);
      else controller.abort(new DOMException(`received ${name}`, "AbortError"));
    };
    Deno.addSignalListener(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const { name, listener } of listeners) Deno.removeSignalListener(name, listener);
    },
  };
}
