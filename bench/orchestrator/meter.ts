/**
 * CPU of the daemon for single events.
 *
 * @module
 */
import type { Daemon } from "../../scripts/harness/mod.ts";
import { cpuSeconds } from "../push/measure.ts";

/** Time without events, to subtract what the daemon does anyway, in milliseconds. */
const IDLE_MS = 2_000;

/** A meter of events. */
export interface Meter {
  /** Milliseconds of CPU for an event, without those of an idle daemon. */
  perEvent(count: number, event: (i: number) => Promise<unknown>): Promise<string>;
}

/** Measures the idle daemon first. */
export async function createMeter({ program: { pid } }: Daemon): Promise<Meter> {
  const cpu = () => cpuSeconds(pid);
  const before = await cpu();
  await new Promise((done) => setTimeout(done, IDLE_MS));
  const idle = (await cpu() - before) / IDLE_MS;
  return {
    async perEvent(count: number, event: (i: number) => Promise<unknown>): Promise<string> {
      const [started, first] = [performance.now(), await cpu()];
      for (let i = 0; i < count; i++) await event(i);
      await new Promise((done) => setTimeout(done, IDLE_MS));
      const used = await cpu() - first - idle * (performance.now() - started);
      return Math.max(0, used * 1000 / count).toFixed(2);
    },
  };
}
