/**
 * `deno task bench start [--runs=3]`: from the start of the daemon's process to `/ready`, with
 * 0, 100, 1,000 and 5,000 services in a directory, one object a file. Each row is the best of the
 * runs: what else the machine does only adds.
 *
 * @module
 */
import { makeConfigDir, startDaemon } from "../scripts/harness/mod.ts";
import { numberFlag } from "./flags.ts";
import { calibrate } from "./push/calibrate.ts";
import { writeCorpus } from "./push/corpus.ts";
import { cpuSeconds, memory } from "./push/measure.ts";

const SIZES = [0, 100, 1000, 5000];

interface Start {
  readonly ms: number;
  readonly cpu: number;
  readonly peakMiB: number;
}

async function startOnce(configDir: string): Promise<Start> {
  const begin = performance.now();
  await using daemon = await startDaemon({ configDir });
  const ms = performance.now() - begin;
  const { pid } = daemon.program;
  return { ms, cpu: await cpuSeconds(pid), peakMiB: (await memory(pid)).peak };
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const runs = numberFlag("runs", 3);
  const fixed = calibrate();
  console.log(`fixed work: ${fixed.toFixed(2)} s\n`);
  console.log("| services | ready ms | CPU s | CPU / fixed | peak MiB |");
  console.log("|---|---|---|---|---|");
  for (const services of SIZES) {
    await using config = await makeConfigDir();
    await writeCorpus(config.path, services);
    const all: Start[] = [];
    for (let run = 0; run < runs; run++) all.push(await startOnce(config.path));
    const best = (value: (start: Start) => number): number => Math.min(...all.map(value));
    const cells = [
      best((s) => s.ms).toFixed(0),
      best((s) => s.cpu).toFixed(2),
      (best((s) => s.cpu) / fixed).toFixed(2),
      best((s) => s.peakMiB).toFixed(0),
    ];
    console.log(`| ${services} | ${cells.join(" | ")} |`);
  }
}

if (import.meta.main) await main();
