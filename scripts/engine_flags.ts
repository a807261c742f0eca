/**
 * What the JavaScript engine is told about a program.
 *
 * @module
 */

/**
 * The daemon's young objects have 8 MiB from the start, and no more (V8's flags are in MiB; it would begin
 * with one and go to 16). To begin with less costs collections while configuration is read; with more, pauses
 * are longer, and the peak of a first sync 20 to 40 MiB higher (`docs/performance.md`).
 */
const DAEMON = "--v8-flags=--min-semi-space-size=8,--max-semi-space-size=8";

/** Flags for `deno run` and `deno compile`. */
export function engineFlags(program: string): string[] {
  return program === "pilot-discovery" ? [DAEMON] : [];
}
