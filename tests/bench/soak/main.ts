/**
 * `deno task bench soak [--minutes=15] [--services=300] [--clients=90] [--seed=1]` (at least three
 * minutes): random edits, also of security policies, Sidecars and the mesh configuration, proxies
 * that connect and disconnect, broken files. Every minute it checks that the daemon serves what a
 * new daemon serves from the same directory, that no cell failed, that the audit found no
 * difference, and that every edit is acknowledged or superseded. At the end it checks that memory
 * did not grow from the second third of the time to the last. Exits with 1 if a check failed.
 *
 * @module
 */
import {
  type ConfigDir,
  type Daemon,
  eventually,
  makeConfigDir,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { numberFlag } from "../flags.ts";
import { writeCorpus } from "../../support/corpus.ts";
import { cpuSeconds, memory } from "../push/measure.ts";
import { type Clients, startClients } from "../push/run.ts";
import { chance, type Editor, editorOf, meshConfig } from "./edits.ts";

/** Client processes; one at a time is restarted. */
const PROCESSES = 3;

/** Seconds between checks. */
const ROUND_SECONDS = 60;

/**
 * Allowed growth of memory from the second to the last third, MiB on average. By the second third
 * of 15 minutes, all bounded stores (publications, receipts, earlier resources, cached values) are
 * full. The allocator varies by this much from minute to minute.
 */
const MEMORY_SLACK = 25;

/**
 * Bound of cached values that no proxy is served. The default is six times as many; these services
 * would not reach it in the time, and the growth would look like a leak.
 */
const KEPT = "10000";

interface Soak {
  readonly daemon: Daemon;
  readonly config: ConfigDir;
  readonly clients: (Clients | undefined)[];
  readonly random: () => number;
  readonly share: number;
  readonly counts: Map<string, number>;
}

/** Runs the soak. */
export async function main(): Promise<void> {
  // Memory is compared by thirds of the time.
  const minutes = Math.max(3, numberFlag("minutes", 15));
  const services = numberFlag("services", 300);
  const share = numberFlag("clients", 90) / PROCESSES;
  const seed = numberFlag("seed", 1);
  await using config = await makeConfigDir();
  await writeCorpus(config.path, services);
  const mesh = meshFileOf(config);
  await Deno.writeTextFile(mesh, meshConfig(10));
  await using daemon = await startDaemon({
    configDir: config.path,
    args: [`--meshConfig=${mesh}`],
    env: { PILOT_XDS_CACHE_SIZE: KEPT },
  });
  const soak: Soak = {
    daemon,
    config,
    clients: [],
    random: chance(seed),
    share,
    counts: new Map(),
  };
  for (let i = 0; i < PROCESSES; i++) soak.clients[i] = await connected(soak, daemon);
  const editor = editorOf(config, services, soak.random, async (text) => {
    await Deno.writeTextFile(`${mesh}.new`, text);
    await Deno.rename(`${mesh}.new`, mesh);
  });
  console.log(
    "| minute | edits | CPU s | resident MiB | heap MiB | law | faults | audit | receipts |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  const resident: number[] = [];
  const third = Math.floor(minutes / 3);
  let sound = true;
  for (let minute = 1; minute <= minutes; minute++) {
    await agitate(soak, editor);
    await editor.repair();
    const row = await check(soak);
    resident.push(row.resident);
    sound &&= row.sound;
    const edits = [...soak.counts.values()].reduce((a, b) => a + b, 0);
    console.log(`| ${minute} | ${edits} | ${row.cells.join(" | ")} |`);
  }
  for (const clients of soak.clients) await clients?.ask("quit");
  const growth = mean(resident.slice(-third)) - mean(resident.slice(third, -third));
  const flat = growth <= MEMORY_SLACK;
  console.log(`\n${JSON.stringify(Object.fromEntries(soak.counts))}`);
  console.log(`memory from the second third to the last: ${growth.toFixed(0)} MiB`);
  console.log(sound && flat ? "everything held" : "SOMETHING DID NOT HOLD");
  if (!sound || !flat) Deno.exitCode = 1;
}

/** The mesh configuration is outside the configuration directory. */
function meshFileOf(config: ConfigDir): string {
  return `${config.path}/.mesh`;
}

async function connected({ share }: Soak, daemon: Daemon): Promise<Clients> {
  const options = { target: daemon.xds, clients: share, delta: true, workloads: 5 };
  const clients = await startClients(options);
  await clients.ask(`connect ${daemon.xds}`);
  return clients;
}

/** One round: edits, and sometimes a restart of clients. */
async function agitate(soak: Soak, editor: Editor): Promise<void> {
  const end = Date.now() + ROUND_SECONDS * 1000;
  while (Date.now() < end) {
    const what = soak.random() < 0.02 ? await replaceClients(soak) : await editor.edit();
    soak.counts.set(what, (soak.counts.get(what) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, soak.random() * 400));
  }
}

async function replaceClients(soak: Soak): Promise<string> {
  const i = Math.floor(soak.random() * PROCESSES);
  await soak.clients[i]?.ask("quit");
  soak.clients[i] = await connected(soak, soak.daemon);
  return "clients replaced";
}

interface Check {
  readonly resident: number;
  readonly sound: boolean;
  readonly cells: readonly string[];
}

async function check(soak: Soak): Promise<Check> {
  const { daemon } = soak;
  const receipts = await eventually("all receipts to be complete", async () => {
    const list = await daemon.debug<{ complete: boolean }[]>("receipts?limit=2000");
    return list.every(({ complete }) => complete) && list.length;
  }, 30_000).catch(() => "OPEN");
  const differing = await lawBroken(soak);
  const faults = (await daemon.debug<unknown[]>("faultz")).length;
  const metrics = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  const differences = total(metrics, "mesh_selfaudit_differences_total");
  const audits = total(metrics, "mesh_selfaudit_audits_total");
  const collect = await fetch(`${daemon.introspection}/memj/forcecollection`, { method: "PUT" });
  await collect.body?.cancel();
  const { heapUsed, external } = await heapOf(daemon);
  const resident = (await memory(daemon.program.pid)).now;
  const cpu = await cpuSeconds(daemon.program.pid);
  return {
    resident,
    sound: receipts !== "OPEN" && differing.length === 0 && faults === 0 && differences === 0 &&
      audits > 0,
    cells: [
      cpu.toFixed(1),
      resident.toFixed(0),
      ((heapUsed + external) / 2 ** 20).toFixed(0),
      differing.length === 0 ? "holds" : `BROKEN: ${differing.join(", ")}`,
      String(faults),
      `${differences} of ${audits}`,
      String(receipts),
    ],
  };
}

/** Bytes of the daemon's heap and buffers. */
async function heapOf(daemon: Daemon): Promise<{ heapUsed: number; external: number }> {
  return await (await fetch(`${daemon.introspection}/memj`)).json();
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The sum of a metric over its labels. */
function total(metrics: string, name: string): number {
  let sum = 0;
  for (const [, value] of metrics.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, "gm"))) {
    sum += Number(value);
  }
  return sum;
}

/** Proxies whose resources differ from those of a new daemon. */
async function lawBroken(soak: Soak): Promise<string[]> {
  await using fresh = await startDaemon({
    configDir: soak.config.path,
    args: [`--meshConfig=${meshFileOf(soak.config)}`],
  });
  const clients = await connected(soak, fresh);
  const differing: string[] = [];
  for (const i of [0, 1, 7]) {
    const path = `config_dump?proxyID=client-${i}.ns-${i % 20}`;
    const same = await eventually("both to serve the same", async () => {
      const [live, begun] = await Promise.all([soak.daemon.debug(path), fresh.debug(path)]);
      return JSON.stringify(live) === JSON.stringify(begun);
    }, 10_000).catch(() => false);
    if (!same) differing.push(path);
  }
  await clients.ask("quit");
  return differing;
}

if (import.meta.main) await main();
