import { printable } from "../base/mod.ts";
import type { Io } from "./spec.ts";

/** Time before the first line appears, and between two lines, in milliseconds. */
const QUIET_MS = 400;

/** One line on standard error about work that takes long; it overwrites itself. */
export interface Progress extends Disposable {
  /** Shows a step, such as `reading pods 3/40`. */
  step(text: string): void;
}

/**
 * Progress on a terminal; nothing is written elsewhere, nor about work that ends soon. Disposing
 * removes the line.
 *
 * @param now the time in milliseconds
 */
export function progressOn(io: Io, now: () => number = () => performance.now()): Progress {
  if (io.terminal?.progress !== true) return { step: () => {}, [Symbol.dispose]: () => {} };
  let next = now() + QUIET_MS;
  let shown = false;
  return {
    step(text) {
      if (now() < next) return;
      next = now() + QUIET_MS;
      shown = true;
      io.err(`\r\x1b[K${printable(text).slice(0, 100)}`);
    },
    [Symbol.dispose]() {
      if (shown) io.err("\r\x1b[K");
    },
  };
}
