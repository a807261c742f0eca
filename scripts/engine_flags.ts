/**
 * Flags of the JavaScript engine for programs.
 *
 * @module
 */

/**
 * The daemon's young generation has a fixed size of 8 MiB (V8's flags are in MiB; its default is 1
 * to 16). Less costs collections while configuration is read; more makes pauses longer and the peak
 * of a first sync 20 to 40 MiB higher (`docs/performance.md`).
 */
const DAEMON = "--v8-flags=--min-semi-space-size=8,--max-semi-space-size=8";

/** Flags for `deno run` and `deno compile`. */
export function engineFlags(program: string): string[] {
  return program === "pilot-discovery" ? [DAEMON] : [];
}
