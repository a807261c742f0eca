/**
 * `deno task bench memory [--services=1000] [--clients=1000]`: resident memory of the daemon as
 * proxies connect: at rest, at its peak, and for each further replica of known workloads. Garbage
 * is collected through the introspection listener before each figure at rest.
 *
 * @module
 */
import { type Daemon, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { numberFlag } from "./flags.ts";
import { calibrate } from "./push/calibrate.ts";
import { NAMESPACES, writeCorpus } from "../support/corpus.ts";
import { cpuSeconds, memory } from "./push/measure.ts";
import { type Bench, type Clients, measure, startClients } from "./push/run.ts";

/** Distinct workloads in each namespace. */
const WORKLOADS = 5;

/** Seconds over which idle CPU is measured. */
const IDLE_SECONDS = 10;

async function atRest(daemon: Daemon): Promise<number> {
  for (let i = 0; i < 2; i++) {
    const answer = await fetch(`${daemon.introspection}/memj/forcecollection`, { method: "PUT" });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`no garbage was collected: ${answer.status}`);
  }
  return (await memory(daemon.program.pid)).now;
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const services = numberFlag("services", 1000);
  const most = numberFlag("clients", 1000);
  const fixed = calibrate();
  await using config = await makeConfigDir();
  await writeCorpus(config.path, services);
  await using daemon = await startDaemon({ configDir: config.path });
  const { pid } = daemon.program;
  const rows: string[] = [`| 0 | ${(await atRest(daemon)).toFixed(0)} | | |`];
  // Two client processes: the second has replicas of the first one's workloads.
  const rest: number[] = [];
  const processes: Clients[] = [];
  for (const share of [most / 2, most / 2]) {
    const options = { target: daemon.xds, clients: share, delta: true, workloads: WORKLOADS };
    const clients = await startClients(options);
    processes.push(clients);
    const bench: Bench = { daemon, clients, fixed, rows: [] };
    await measure(bench, `${share} proxies`, () => bench.clients.ask(`connect ${daemon.xds}`));
    const { peakMiB, cpuSeconds: cpu } = bench.rows[0]!;
    rest.push(await atRest(daemon));
    const count = rest.length * most / 2;
    rows.push(
      `| ${count} | ${rest.at(-1)!.toFixed(0)} | ${peakMiB.toFixed(0)} | ${cpu.toFixed(2)} |`,
    );
  }
  const idle = await cpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
  const idleMs = (await cpuSeconds(pid) - idle) * 1000 / IDLE_SECONDS;
  console.log(`${services} services, ${NAMESPACES * WORKLOADS} workloads, delta\n`);
  console.log(
    "| proxies | at rest MiB | peak MiB | CPU s of their first sync |\n|---|---|---|---|",
  );
  console.log(rows.join("\n"));
  const further = (rest[1]! - rest[0]!) * 1024 / (most / 2);
  console.log(`\neach further replica: ${further.toFixed(0)} KiB; idle: ${idleMs.toFixed(1)} ms/s`);
  for (const clients of processes) await clients.ask("quit");
}

if (import.meta.main) await main();
