/**
 * `deno task bench start [--runs=3]`: time from the start of the daemon's process to `/ready`, with
 * 0, 100, 1,000 and 5,000 services in a directory, one object in each file; from the sources, which
 * are hundreds of modules, and from the bundled modules of built programs. Each row is the best of
 * the runs, because other work only adds time.
 *
 * @module
 */
import { bundle } from "../../scripts/compile.ts";
import { makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { fromFileUrl } from "../../scripts/paths.ts";
import { numberFlag } from "./flags.ts";
import { calibrate } from "./push/calibrate.ts";
import { writeCorpus } from "../support/corpus.ts";
import { cpuSeconds, memory } from "./push/measure.ts";

const SIZES = [0, 100, 1000, 5000];
const ROOT = fromFileUrl(new URL("../..", import.meta.url));

interface Start {
  readonly ms: number;
  readonly cpu: number;
  readonly peakMiB: number;
}

async function startOnce(configDir: string, module: string | undefined): Promise<Start> {
  const begin = performance.now();
  await using daemon = await startDaemon({ configDir, module });
  const ms = performance.now() - begin;
  const { pid } = daemon.program;
  return { ms, cpu: await cpuSeconds(pid), peakMiB: (await memory(pid)).peak };
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const runs = numberFlag("runs", 3);
  const fixed = calibrate();
  console.log(`fixed work: ${fixed.toFixed(2)} s\n`);
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-start-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const module = await bundle(ROOT, "pilot-discovery", `${dir}/pilot-discovery`);
  console.log("| services | from | ready ms | CPU s | CPU / fixed | peak MiB |");
  console.log("|---|---|---|---|---|---|");
  for (const services of SIZES) {
    await using config = await makeConfigDir();
    await writeCorpus(config.path, services);
    for (const [from, file] of [["sources", undefined], ["bundle", module]] as const) {
      const all: Start[] = [];
      for (let run = 0; run < runs; run++) all.push(await startOnce(config.path, file));
      console.log(`| ${services} | ${from} | ${cells(all, fixed).join(" | ")} |`);
    }
  }
}

/** The best of several starts. */
function cells(all: readonly Start[], fixed: number): string[] {
  const best = (value: (start: Start) => number): number => Math.min(...all.map(value));
  return [
    best((s) => s.ms).toFixed(0),
    best((s) => s.cpu).toFixed(2),
    (best((s) => s.cpu) / fixed).toFixed(2),
    best((s) => s.peakMiB).toFixed(0),
  ];
}

if (import.meta.main) await main();
