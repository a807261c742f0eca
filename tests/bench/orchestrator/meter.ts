/**
 * CPU of the daemon for single events.
 *
 * @module
 */
import type { Daemon } from "../../../scripts/harness/mod.ts";
import { cpuSeconds } from "../push/measure.ts";

/** Time in which the daemon finishes with the events, in milliseconds. */
const SETTLE_MS = 2_000;
/**
 * Windows without events, in milliseconds. The least one counts: in the first ones the daemon may still work
 * on the objects that were made before.
 */
const WINDOW_MS = 1_000;
const WINDOWS = 8;

/** A meter of events. */
export interface Meter {
  /** Milliseconds of CPU for an event, without those of an idle daemon. */
  perEvent(count: number, event: (i: number) => Promise<unknown>): Promise<string>;
}

/** Measures the idle daemon first. */
export async function createMeter({ program: { pid } }: Daemon): Promise<Meter> {
  const cpu = () => cpuSeconds(pid);
  let idle = Infinity;
  for (let i = 0; i < WINDOWS; i++) {
    const before = await cpu();
    await new Promise((done) => setTimeout(done, WINDOW_MS));
    idle = Math.min(idle, (await cpu() - before) / WINDOW_MS);
  }
  return {
    async perEvent(count: number, event: (i: number) => Promise<unknown>): Promise<string> {
      const [started, first] = [performance.now(), await cpu()];
      for (let i = 0; i < count; i++) await event(i);
      await new Promise((done) => setTimeout(done, SETTLE_MS));
      const used = await cpu() - first - idle * (performance.now() - started);
      return Math.max(0, used * 1000 / count).toFixed(2);
    },
  };
}
