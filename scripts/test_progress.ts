/**
 * Progress of a run of `deno test`: counts the results in its output as it comes. On a terminal
 * the line is rewritten each second, elsewhere a line is printed each minute.
 *
 * @module
 */
import { plainText } from "./test_report.ts";

/** Time between two lines that are not on a terminal, in milliseconds. */
const LINE_MS = 60_000;

/** Time between two updates on a terminal, in milliseconds. */
const TERMINAL_MS = 1_000;

/** Counts results and shows them. */
export interface Progress {
  /** Takes the next part of the output. */
  add(text: string): void;
  /** Stops the display, and clears the line on a terminal. */
  stop(): void;
}

/** Counts of results that were printed so far; steps are not counted. */
export class ResultCounter {
  passed = 0;
  failed = 0;
  #rest = "";

  /** Counts the results in the complete lines of the output up to here. */
  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) {
      const result = /^\S.* \.\.\. (ok|FAILED)( \(.*\))+$/.exec(plainText(line));
      if (result === null || result[0].match(/ \.\.\. /g)!.length > 1) continue;
      if (result[1] === "ok") this.passed++;
      else this.failed++;
    }
  }
}

/** Shows the progress of a tier until it is stopped. */
export function showProgress(
  tier: string,
  io: { readonly isTerminal: boolean; readonly write: (text: string) => void },
): Progress {
  const counter = new ResultCounter();
  const started = performance.now();
  const show = (): void => {
    const seconds = Math.round((performance.now() - started) / 1000);
    const line = `${tier}: ${counter.passed} passed, ${counter.failed} failed after ${seconds} s`;
    io.write(io.isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
  };
  const timer = setInterval(show, io.isTerminal ? TERMINAL_MS : LINE_MS);
  return {
    add: (text) => counter.add(text),
    stop: () => {
      clearInterval(timer);
      if (io.isTerminal) io.write("\r\x1b[K");
    },
  };
}
