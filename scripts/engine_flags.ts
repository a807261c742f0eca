/**
 * Flags of the JavaScript engine for programs.
 *
 * @module
 */

/**
 * The daemon's young generation has a fixed size of 8 MiB (V8's flags are in MiB; its default is 1
 * to 16). Less costs collections while configuration is read; more makes pauses longer and the peak
 * of a first sync 20 to 40 MiB higher. The old generation is collected when it has grown by 30 %, and
 * not when it has doubled or more: a storm of proxies leaves half of the garbage
 * (`docs/performance.md`).
 */
const DAEMON =
  "--v8-flags=--min-semi-space-size=8,--max-semi-space-size=8,--heap-growing-percent=30";

/**
 * An agent runs beside each workload, and the network plugin on each node: memory counts more than the time of collections. A young
 * generation of 1 MiB saves 4 to 7 MiB at rest (`docs/performance.md`).
 */
const SMALL_HEAP = "--v8-flags=--max-semi-space-size=1";

/**
 * The agent relays and waits, so its code is not optimized: the compilers that would do it, and what they keep, take 2
 * to 4 MiB. A relayed megabyte takes up to 9 ms of CPU in place of 5 to 7, a configuration of 1,000 services about 10 ms
 * more.
 */
const AGENT = `${SMALL_HEAP},--no-opt,--no-maglev`;

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  "pilot-discovery": [DAEMON],
  "pilot-agent": [AGENT],
  "install-cni": [SMALL_HEAP],
};

/** Flags for `deno run` and `deno compile`. */
export function engineFlags(program: string): readonly string[] {
  return FLAGS[program] ?? [];
}

/**
 * Variables for the C library, as `NAME=value`. All threads share one arena: what the runtime's threads
 * free after they compiled modules is used for connections. The agent and the network plugin return
 * free memory to the system, too; for the daemon that costs a third more CPU in a first sync, because
 * the buffers of each write are returned.
 */
const ONE_ARENA = "MALLOC_ARENA_MAX=1";
const SMALL = [ONE_ARENA, "MALLOC_TRIM_THRESHOLD_=65536"];
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "pilot-discovery": [ONE_ARENA],
  "pilot-agent": SMALL,
  "install-cni": SMALL,
};

/** Variables with which a program's runtime is started. */
export function engineVariables(program: string): readonly string[] {
  return VARIABLES[program] ?? [];
}
