/**
 * `deno task bench growth`: cost of one edit as the mesh grows. The edit concerns the same proxies
 * at 100, 1,000 and 5,000 services; then more proxies connect that it does not concern.
 *
 * @module
 */
import { type Daemon, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { calibrate } from "./push/calibrate.ts";
import { serviceEntry, virtualService, writeCorpus } from "../support/corpus.ts";
import { type Bench, measure, startClients } from "./push/run.ts";

/** Number of edits of an average: the kernel counts CPU time in ticks of 10 ms. */
const EDITS = 20;

type Edit = readonly [file: string, text: (round: number) => string];

/** A service that only its namespace sees: two of forty connected proxies. */
function privateEntry(i: number, variant: number): string {
  return serviceEntry(i, variant).replace("spec:\n", 'spec:\n  exportTo: ["."]\n');
}

/** CPU milliseconds and kilobytes of one edit, the mean of many consecutive ones. */
async function cost(
  bench: Bench,
  dir: { write(file: string, text: string): Promise<void> },
  [file, text]: Edit,
): Promise<string> {
  await measure(bench, file, async () => {
    for (let round = 1; round <= EDITS; round++) {
      await dir.write(file, text(round));
      // Longer than the debounce of files and pushes, so that each edit is one push.
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  });
  const row = bench.rows.at(-1)!;
  const ms = row.cpuSeconds * 1000 / EDITS;
  return `${ms.toFixed(1)} | ${(row.megabytes * 1000 / EDITS).toFixed(1)}`;
}

async function connect(daemon: Daemon, clients: number, fixed: number): Promise<Bench> {
  const options = { target: daemon.xds, clients, delta: true, workloads: 5 };
  const bench: Bench = { daemon, clients: await startClients(options), fixed, rows: [] };
  await measure(bench, "first sync", () => bench.clients.ask(`connect ${daemon.xds}`));
  return bench;
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const fixed = calibrate();
  console.log("| services | proxies | edit | CPU ms | kB |\n|---|---|---|---|---|");
  for (const services of [100, 1000, 5000]) {
    await using config = await makeConfigDir();
    await writeCorpus(config.path, services);
    await using daemon = await startDaemon({ configDir: config.path });
    const bench = await connect(daemon, 100, fixed);
    const edits: [string, Edit][] = [
      ["endpoint", ["se-1.yaml", (round) => serviceEntry(1, round)]],
      ["route weight", ["vs-2.yaml", (round) => virtualService(2, round)]],
    ];
    for (const [name, edit] of edits) {
      console.log(`| ${services} | 100 | ${name} | ${await cost(bench, config, edit)} |`);
    }
    const sync = bench.rows[0]!;
    console.log(
      `| ${services} | 100 | first sync | ${(sync.cpuSeconds * 1000).toFixed(0)} | ` +
        `${(sync.megabytes * 1000).toFixed(0)} | (peak ${sync.peakMiB.toFixed(0)} MiB)`,
    );
    await bench.clients.ask("quit");
  }
  for (const proxies of [40, 400, 1000]) {
    await using config = await makeConfigDir();
    await writeCorpus(config.path, 100);
    await config.write("se-1.yaml", privateEntry(1, 0));
    await using daemon = await startDaemon({ configDir: config.path });
    const bench = await connect(daemon, 20, fixed);
    const others = proxies > 20 ? await connect(daemon, proxies - 20, fixed) : undefined;
    const edit: Edit = ["se-1.yaml", (round) => privateEntry(1, round)];
    console.log(`| 100 | ${proxies} | private endpoint | ${await cost(bench, config, edit)} |`);
    await others?.clients.ask("quit");
    await bench.clients.ask("quit");
  }
}

if (import.meta.main) await main();
