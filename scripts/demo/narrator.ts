/**
 * The demo's output: prints steps and results, and counts failed steps.
 *
 * @module
 */
import { eventually } from "../harness/mod.ts";

/** Prints the demo's progress. */
export interface Narrator {
  /** Prints a line. */
  say(text: string): void;
  /** Prints a file, indented. */
  show(name: string, text: string): void;
  /**
   * Runs a step: an action, then checks until the expected result appears. `look` returns the
   * observed result in words, and whether it is the expected one.
   */
  step(
    title: string,
    act: () => Promise<void>,
    look: () => Promise<{ readonly seen: string; readonly ok: boolean }>,
  ): Promise<void>;
  /** Prints an event with the time of day. */
  event(label: string, text: string): void;
  /** Titles of the steps that failed. */
  readonly failed: readonly string[];
}

/** Codes of the colours of labels. */
const EVENT_COLOURS: Readonly<Record<string, string>> = {
  applied: "32",
  repaired: "32",
  cleared: "32",
  rejected: "31",
  warning: "33",
};

/** Deadline of a step, milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * Creates a narrator on standard output, with colours on a terminal.
 *
 * @param signal aborts the current step and the demo
 */
export function createNarrator(signal: AbortSignal): Narrator {
  const colour = Deno.stdout.isTerminal() && Deno.env.get("NO_COLOR") === undefined;
  const paint = (code: string, text: string): string =>
    colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  const failed: string[] = [];
  let number = 0;
  return {
    say: (text) => console.log(text),
    show: (name, text) => {
      console.log(paint("2", `   ${name}`));
      for (const line of text.trimEnd().split("\n")) console.log(paint("2", `   | ${line}`));
    },
    step: async (title, act, look) => {
      signal.throwIfAborted();
      console.log(`\n${paint("1", `${++number}. ${title}`)}`);
      await act();
      const started = performance.now();
      let last = "nothing";
      try {
        await eventually(title, async () => {
          if (signal.aborted) return true;
          const { seen, ok } = await look();
          last = seen;
          return ok;
        }, PATIENCE_MS);
        signal.throwIfAborted();
        const ms = Math.round(performance.now() - started);
        console.log(`   ${paint("32", "✔")} ${last} ${paint("2", `(${ms} ms)`)}`);
      } catch (e) {
        if (signal.aborted) throw e;
        failed.push(title);
        console.log(`   ${paint("31", "✘")} expected otherwise; last seen: ${last}`);
        if (e instanceof Error && e.cause !== undefined) console.log(`     ${e.cause}`);
      }
    },
    event: (label, text) => {
      const time = new Date().toTimeString().slice(0, 8);
      const padded = label.padEnd(8);
      console.log(`${paint("2", time)}  ${paint(EVENT_COLOURS[label] ?? "0", padded)}  ${text}`);
    },
    failed,
  };
}
