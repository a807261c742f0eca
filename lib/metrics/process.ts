/**
 * Metrics of the process itself, under the field's usual names. The library's own collection is
 * not used: on this runtime its event-loop figures come out as NaN and as 2^63 ns.
 *
 * @module
 */
import process from "node:process";
import { counter, gauge } from "./instruments.ts";

const TICK_MS = 500;

/**
 * Registers the process metrics and starts the timer that measures how late the event loop is.
 * The timer does not keep the process alive. Returns the function that stops it.
 */
export function startProcessMetrics(): () => void {
  declareUsage();
  declareDescriptors();
  return measureLag();
}

function declareUsage(): void {
  const user = counter({
    name: "process_cpu_user_seconds_total",
    help: "CPU time spent in user code, in seconds.",
  });
  const system = counter({
    name: "process_cpu_system_seconds_total",
    help: "CPU time spent in the kernel, in seconds.",
  });
  const total = counter({
    name: "process_cpu_seconds_total",
    help: "CPU time spent, user and system, in seconds.",
  });
  let before = { user: 0, system: 0 };
  gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory, in bytes.",
    collect: () => {
      // Counters can only be added to; this is the one place that is called at each exposition.
      const now = process.cpuUsage();
      user.inc(Math.max(0, now.user - before.user) / 1e6);
      system.inc(Math.max(0, now.system - before.system) / 1e6);
      total.inc(Math.max(0, now.user + now.system - before.user - before.system) / 1e6);
      before = now;
      return Deno.memoryUsage().rss;
    },
  });
  gauge({
    name: "process_heap_bytes",
    help: "Heap in use, in bytes.",
    collect: () => Deno.memoryUsage().heapUsed,
  });
  const started = (Date.now() - performance.now()) / 1000;
  gauge({
    name: "process_start_time_seconds",
    help: "Start of the process, in seconds since 1970.",
    collect: () => started,
  });
}

/** Descriptor counts need Linux and read permission for `/proc`; elsewhere they are left out. */
function declareDescriptors(): void {
  const count = () => [...Deno.readDirSync("/proc/self/fd")].length;
  try {
    count();
  } catch {
    return;
  }
  gauge({ name: "process_open_fds", help: "Open file descriptors.", collect: count });
}

function measureLag(): () => void {
  const lag = gauge({
    name: "process_event_loop_lag_seconds",
    help: "How late the event loop ran a timer: the worst since the metrics were last read.",
    collect: () => {
      const seconds = worst / 1000;
      worst = 0;
      return seconds;
    },
  });
  let worst = 0;
  let due = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - due);
    due = now + TICK_MS;
  }, TICK_MS);
  Deno.unrefTimer(timer);
  lag.set(0);
  return () => clearInterval(timer);
}
