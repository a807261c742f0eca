/**
 * The parts of a daemon's resident memory, by `smaps` and by the engine's own figures.
 *
 * @module
 */
import type { Daemon } from "../../../scripts/harness/mod.ts";

/** Sizes in MiB. */
export interface MemoryParts {
  readonly resident: number;
  /** Pages of files: the program and its libraries. */
  readonly files: number;
  /** The engine's heap: committed, and used. */
  readonly heapTotal: number;
  readonly heapUsed: number;
  /** Memory outside of the heap that the engine knows, array buffers included. */
  readonly external: number;
  /** The C library's first arena. */
  readonly brk: number;
  /** Anonymous memory beside the engine's heap and that arena. */
  readonly anonymous: number;
}

/** The parts now; nothing is collected before. */
export async function memoryParts(daemon: Daemon): Promise<MemoryParts> {
  const answer = await fetch(`${daemon.introspection}/memj/`);
  const heap = await answer.json() as Record<"heapTotal" | "heapUsed" | "external", number>;
  const rss = residentByKind(await Deno.readTextFile(`/proc/${daemon.program.pid}/smaps`));
  const mib = (bytes: number): number => bytes / 1024 / 1024;
  const heapTotal = mib(heap.heapTotal);
  return {
    resident: rss.files + rss.brk + rss.anonymous,
    files: rss.files,
    heapTotal,
    heapUsed: mib(heap.heapUsed),
    external: mib(heap.external),
    brk: rss.brk,
    anonymous: rss.anonymous - heapTotal,
  };
}

/** Resident MiB of the mappings of a process. */
export function residentByKind(smaps: string): Record<"files" | "brk" | "anonymous", number> {
  const sums = { files: 0, brk: 0, anonymous: 0 };
  let kind: keyof typeof sums = "anonymous";
  for (const line of smaps.split("\n")) {
    const name = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line)?.[1];
    if (name !== undefined) {
      kind = name === "[heap]" ? "brk" : name.startsWith("/") ? "files" : "anonymous";
    }
    const resident = /^Rss: +(\d+) kB$/.exec(line)?.[1];
    if (resident !== undefined) sums[kind] += Number(resident) / 1024;
  }
  return sums;
}
