import { envText } from "../env/mod.ts";
import type { Io, TerminalFacts } from "./spec.ts";

/** The standard streams of this process. */
export const processIo: Io = {
  out: (text) => writeAll(Deno.stdout, text),
  err: (text) => writeAll(Deno.stderr, text),
  input: async () => new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer()),
  line: readLine,
  get terminal() {
    return terminalFacts();
  },
};

/** Reads byte by byte, so that what follows the line stays for others. */
async function readLine(): Promise<string | undefined> {
  const bytes: number[] = [];
  const one = new Uint8Array(1);
  while (await Deno.stdin.read(one) !== null) {
    if (one[0] === NEWLINE) return new TextDecoder().decode(new Uint8Array(bytes));
    bytes.push(one[0]!);
  }
  return bytes.length === 0 ? undefined : new TextDecoder().decode(new Uint8Array(bytes));
}

const NEWLINE = 0x0a;

function terminalFacts(): TerminalFacts {
  const plain = isSet("NO_COLOR") || isSet("TERM", "dumb");
  return {
    outColors: !plain && Deno.stdout.isTerminal(),
    errColors: !plain && Deno.stderr.isTerminal(),
    progress: Deno.stderr.isTerminal() && !isSet("TERM", "dumb"),
  };
}

/** Reports if a variable is set and not empty, or has a value. Unreadable ones count as not set. */
function isSet(name: string, value?: string): boolean {
  try {
    const text = envText(name) ?? "";
    return value === undefined ? text !== "" : text === value;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

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
