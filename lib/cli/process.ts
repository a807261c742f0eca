import type { Io } from "./spec.ts";

/** Standard output and error of this process. */
export const processIo: Io = {
  out: (text) => writeAll(Deno.stdout, text),
  err: (text) => writeAll(Deno.stderr, text),
};

/** A reader that closed the pipe (`… | head`) is not an error. */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** The termination signals and their exit statuses in shells. */
const ENDING: readonly (readonly [Deno.Signal, number])[] = [["SIGINT", 130], ["SIGTERM", 143]];

/**
 * An abort signal for SIGINT and SIGTERM. On a second signal, `onSecond` is called with the exit
 * status for ending at once. Disposing removes the handlers.
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
