/**
 * Resource usage of processes from `/proc` (Linux).
 *
 * @module
 */

/** Clock ticks per second in `/proc/PID/stat`; always 100 on Linux. */
const TICKS = 100;

/** User and system time of a process so far, seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The command in brackets may have spaces; fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Time in which the first thread of a process ran so far, and in which it waited for a processor, ns. */
export async function threadTime(pid: number): Promise<{ ran: number; waited: number }> {
  const [ran, waited] = (await Deno.readTextFile(`/proc/${pid}/schedstat`)).split(" ").map(Number);
  return { ran: ran!, waited: waited! };
}

/** Resident memory of a process in MiB: now, and the peak since {@link resetPeak}. */
export async function memory(pid: number): Promise<{ now: number; peak: number }> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const kib = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return { now: kib("VmRSS") / 1024, peak: kib("VmHWM") / 1024 };
}

/** Resets the peak of a process's memory. */
export async function resetPeak(pid: number): Promise<void> {
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5");
}

/** A percentile of sorted values. */
export function percentile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
