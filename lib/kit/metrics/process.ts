/**
 * Metrics of the process under the usual names. The library's own collection is not used: on this
 * runtime its event-loop figures are NaN and 2^63 ns
 * (`docs/decisions/0025-own-process-metrics.md`).
 *
 * @module
 */
import process from "node:process";
import { counter, gauge, histogram } from "./instruments.ts";

/** Interval of the timer: short enough to measure blocks of 50 ms, long enough to cost nothing. */
const TICK_MS = 20;
/** Normal delay of timers, which is not a stall. */
const STALL_MS = 3;

/**
 * Registers the process metrics and starts the timer that measures delays of the event loop. The
 * timer does not keep the process alive. Returns a function that stops it.
 */
export function startProcessMetrics(): () => void {
  declareUsage();
  declareDescriptors();
  return measureLag();
}

function declareUsage(): void {
  counter({
    name: "process_cpu_user_seconds_total",
    help: "CPU time spent in user code, in seconds.",
    collect: () => process.cpuUsage().user / 1e6,
  });
  counter({
    name: "process_cpu_system_seconds_total",
    help: "CPU time spent in the kernel, in seconds.",
    collect: () => process.cpuUsage().system / 1e6,
  });
  counter({
    name: "process_cpu_seconds_total",
    help: "CPU time spent, user and system, in seconds.",
    collect: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory, in bytes.",
    collect: () => Deno.memoryUsage().rss,
  });
  gauge({
    name: "process_heap_bytes",
    help: "Heap in use, in bytes.",
    collect: () => Deno.memoryUsage().heapUsed,
  });
  declareMemory();
  const started = (Date.now() - performance.now()) / 1000;
  gauge({
    name: "process_start_time_seconds",
    help: "Start of the process, in seconds since 1970.",
    collect: () => started,
  });
}

/**
 * Heap metrics under names that dashboards of Go daemons use. Only values with the same meaning are
 * exported; goroutines and stacks have no counterpart.
 */
function declareMemory(): void {
  const of: Readonly<Record<string, [help: string, field: keyof Deno.MemoryUsage]>> = {
    go_memstats_alloc_bytes: ["Bytes of objects on the heap.", "heapUsed"],
    go_memstats_heap_inuse_bytes: ["Bytes of the heap that are in use.", "heapUsed"],
    go_memstats_heap_sys_bytes: ["Bytes that the heap has taken.", "heapTotal"],
    go_memstats_sys_bytes: ["Bytes that the process has taken.", "rss"],
  };
  for (const [name, [help, field]] of Object.entries(of)) {
    gauge({ name, help, collect: () => Deno.memoryUsage()[field] });
  }
}

/** Descriptor counts need Linux and read permission for `/proc`; otherwise they are omitted. */
function declareDescriptors(): void {
  const count = () => [...Deno.readDirSync("/proc/self/fd")].length;
  try {
    count();
  } catch {
    return;
  }
  gauge({ name: "process_open_fds", help: "Open file descriptors.", collect: count });
}

/** Exports the delay of a timer, which is the time that the event loop was blocked. */
function measureLag(): () => void {
  const stalls = histogram({
    name: "mesh_event_loop_stall_seconds",
    help:
      "Times that the event loop ran nothing else for longer than a few milliseconds, in seconds.",
    buckets: [.005, .01, .02, .05, .1, .25, .5, 1, 2.5],
  });
  let worst = 0;
  let recent = 0;
  let recentCpu = 0;
  gauge({
    name: "mesh_event_loop_stall_max_seconds",
    help: "How late the event loop ran a timer: the worst since the start.",
    collect: () => worst / 1000,
  });
  gauge({
    name: "process_event_loop_lag_seconds",
    help: "How late the event loop ran a timer: the worst since the metrics were last read.",
    collect: () => {
      const seconds = recent / 1000;
      recent = 0;
      return seconds;
    },
  });
  const clock = threadClock();
  if (clock !== undefined) {
    gauge({
      name: "process_event_loop_lag_cpu_seconds",
      help: "Processor time of the event loop's thread in a delay of a timer: the most since the " +
        "metrics were last read. Other programs do not add to it.",
      collect: () => {
        const seconds = recentCpu / 1000;
        recentCpu = 0;
        return seconds;
      },
    });
  }
  let due = performance.now() + TICK_MS;
  let used = clock?.now() ?? 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - due;
    const usedNow = clock?.now() ?? 0;
    worst = Math.max(worst, late);
    recent = Math.max(recent, late);
    recentCpu = Math.max(recentCpu, Math.min(late, usedNow - used));
    if (late >= STALL_MS) stalls.observe(late / 1000);
    due = now + TICK_MS;
    used = usedNow;
  }, TICK_MS);
  Deno.unrefTimer(timer);
  return () => {
    clearInterval(timer);
    clock?.close();
  };
}

/** Processor time of a thread. */
interface ThreadClock {
  /** Milliseconds so far. */
  now(): number;
  close(): void;
}

/** The clock of this thread; needs Linux and read permission for `/proc`. */
function threadClock(): ThreadClock | undefined {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync("/proc/thread-self/schedstat");
  } catch {
    return undefined;
  }
  // "RAN WAITED SLICES", the first two in nanoseconds.
  const text = new Uint8Array(64);
  const decoder = new TextDecoder();
  return {
    now: () => {
      file.seekSync(0, Deno.SeekMode.Start);
      return parseInt(decoder.decode(text.subarray(0, file.readSync(text) ?? 0))) / 1e6;
    },
    close: () => file.close(),
  };
}
