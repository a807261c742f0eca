/**
 * The output of a command about an installation: lines, and on a terminal one line that is rewritten.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import { type Io, progressOn } from "../../kit/cli/mod.ts";
import { titleOf } from "./plan.ts";

/** Takes the progress of an installation. */
export interface Report extends Disposable {
  /** A condition that is waited for: on a terminal it replaces the line before, elsewhere it is printed once. */
  step(text: string): void;
  /** A step that goes by quickly: only terminals show it. */
  pass(text: string): void;
  /** Something that users must know now, such as a pod that cannot start. Said once. */
  say(text: string): void;
  /** Components are installed and ready. */
  installed(components: readonly string[]): void;
  /** Ends a part of the time line. */
  mark(name: string): void;
  /** The parts with their times, such as `rights 0.1 s`. */
  timeLine(): string[];
}

/** Writes results to standard output, and all else to standard error. */
export function reportTo(io: Io, now: () => number = () => performance.now()): Report {
  const progress = progressOn(io, now);
  const isTerminal = io.terminal?.progress === true;
  const said = new Set<string>();
  const begin = now();
  let last = begin;
  const marks: string[] = [];
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return {
    step(text) {
      if (isTerminal) return progress.step(text);
      if (said.has(text)) return;
      said.add(text);
      io.err(printable(text) + "\n");
    },
    pass: (text) => progress.step(text),
    say(text) {
      if (said.has(text)) return;
      said.add(text);
      progress[Symbol.dispose]();
      io.err(printable(text) + "\n");
    },
    installed(components) {
      progress[Symbol.dispose]();
      for (const title of new Set(components.map(titleOf))) io.out(`✔ ${title} installed\n`);
    },
    mark(name) {
      const at = now();
      marks.push(`${name} ${seconds(at - last)} (at ${seconds(at - begin)})`);
      last = at;
    },
    timeLine: () => marks,
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}
