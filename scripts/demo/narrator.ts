/**
 * The demo's voice: says what it does and what was seen, and counts steps that
 * did not come out as they should.
 *
 * @module
 */
import { eventually } from "../harness/mod.ts";

/** A voice. */
export interface Narrator {
  /** A line of prose. */
  say(text: string): void;
  /** A file as it was written, indented. */
  show(name: string, text: string): void;
  /**
   * A step: does something, then looks until what it should bring about is seen.
   * `look` returns what it saw, in words, and whether that is it.
   */
  step(
    title: string,
    act: () => Promise<void>,
    look: () => Promise<{ readonly seen: string; readonly ok: boolean }>,
  ): Promise<void>;
  /** Titles of the steps that failed. */
  readonly failed: readonly string[];
}

/** How long a step may take to show, ms. */
const PATIENCE_MS = 20_000;

/**
 * Speaks to standard output, in colours where it is a terminal.
 *
 * @param signal ends the step at hand, and with it the demo
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
    failed,
  };
}
