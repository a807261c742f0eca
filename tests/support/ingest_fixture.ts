/**
 * Ingest over a pipeline of its own, with a clock that moves when the test says so.
 *
 * @module
 */
import { createIngest, type DebounceSettings, type Ingest } from "../../lib/mesh/ingest/mod.ts";
import { type Bench, startTranslation } from "./translation_fixture.ts";

/** A clock and its timers. */
export interface ManualClock {
  now(): number;
  timer(run: () => void, ms: number): () => void;
  /** Moves to a time; runs the timers that are due on the way. */
  to(time: number): void;
  /** Number of timers that wait. */
  readonly waiting: number;
}

/** A clock at 0. */
export function manualClock(): ManualClock {
  let now = 0;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    timer(run, ms) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    to(time) {
      while (true) {
        const [next] = timers.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        now = next.at;
        next.run();
      }
      now = time;
    },
    get waiting() {
      return timers.length;
    },
  };
}

/** Ingest under test. */
export interface IngestBench {
  readonly ingest: Ingest;
  readonly pipeline: Bench;
  readonly clock: ManualClock;
  /** When the publications so far began, by the clock. */
  readonly publications: readonly number[];
}

const QUIET: DebounceSettings = { after: 100, max: 1000, endpointsWait: true };

/** Ingest without sources, over a mesh without objects. */
export function startIngest(debounce: DebounceSettings = QUIET): IngestBench {
  const pipeline = startTranslation();
  const clock = manualClock();
  const publications: number[] = [];
  const ingest = createIngest({
    observer: { publishing: () => publications.push(clock.now()) },
    writer: pipeline.writer,
    target: pipeline.translation,
    debounce,
    clock: {
      now: clock.now,
      time: clock.now,
      timer: clock.timer,
      pause: () => new Promise((resume) => setTimeout(resume, 0)),
    },
  });
  return { ingest, pipeline, clock, publications };
}
