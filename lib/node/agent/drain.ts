/**
 * Draining: the proxy asks clients to close their connections and gives them time.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import type { Admin } from "./admin.ts";
import type { AgentPorts } from "./static_resources.ts";

/** Duration of a drain. */
export interface DrainOptions {
  /** Time for clients to close their connections if connections are not counted, ms. */
  readonly duration: number;
  /** Ends the drain when no connections are left, instead of after `duration`. */
  readonly untilZero: boolean;
  /** With `untilZero`: pause before the first count, ms. */
  readonly minimum: number;
  /** With `untilZero`: pause between counts, ms. */
  readonly interval: number;
  /** The proxy's health and metrics listeners, whose connections are not counted. */
  readonly ports: AgentPorts;
}

/** A drain that can be started before it is awaited. */
export interface Drain {
  /** Starts draining; later calls do nothing. */
  start(): Promise<void>;
  /** Starts, and resolves when the time is over, no connections are left or `signal` is aborted. */
  finish(signal: AbortSignal): Promise<void>;
  readonly started: boolean;
}

const log = scope("default");

/**
 * Prepares a drain of the proxy behind an admin API.
 *
 * @param onStart called once, when the drain starts
 */
export function drainOf(admin: Admin, options: DrainOptions, onStart?: () => void): Drain {
  let asked: Promise<void> | undefined;
  let startedAt = 0;
  const start = () => {
    if (asked === undefined) {
      startedAt = performance.now();
      onStart?.();
    }
    return asked ??= ask(admin);
  };
  return {
    start,
    get started() {
      return asked !== undefined;
    },
    async finish(signal) {
      await start();
      const wait = options.untilZero ? options.minimum : options.duration;
      await sleep(Math.max(0, startedAt + wait - performance.now()), signal);
      if (options.untilZero) await untilZero(admin, options, signal);
    },
  };
}

/** A proxy that does not respond is stopped without draining. */
async function ask(admin: Admin): Promise<void> {
  try {
    await admin.drainListeners();
    log.info("draining the proxy's inbound listeners");
  } catch (error) {
    log.warn("the proxy could not be asked to drain", { reason: messageOf(error) });
  }
}

async function untilZero(admin: Admin, options: DrainOptions, signal: AbortSignal): Promise<void> {
  let last = 0;
  while (!signal.aborted) {
    const open = await connections(admin, options.ports);
    if (open === 0) return;
    if (open !== last) log.info("waiting for connections to end", { open });
    last = open;
    await sleep(options.interval, signal);
  }
}

async function connections(admin: Admin, ports: AgentPorts): Promise<number> {
  try {
    const stats = await admin.stats("^listener\\..*\\.downstream_cx_active$");
    return openConnections(stats, ports);
  } catch (error) {
    log.warn("the proxy's connections cannot be counted", { reason: messageOf(error) });
    return 0;
  }
}

/** Sums up the open connections of all listeners that serve traffic. */
export function openConnections(
  stats: ReadonlyMap<string, number>,
  ports: Pick<AgentPorts, "health" | "prometheus">,
): number {
  const own = new RegExp(`^listener\\.(admin|.*_(${ports.health}|${ports.prometheus}))\\.`);
  let sum = 0;
  for (const [name, value] of stats) {
    // Worker statistics repeat the count of their listener.
    if (!own.test(name) && !name.includes(".worker_")) sum += value;
  }
  return sum;
}
