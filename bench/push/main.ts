/**
 * `deno task bench push [--services=1000] [--clients=500] [--sotw]`: what pushes
 * cost the daemon. The clients are a process of their own; every row is one piece
 * of work with the daemon's CPU seconds, what was sent, memory and convergence.
 * Prints a table, and JSON on the last line.
 *
 * @module
 */
import { type Daemon, eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { calibrate } from "./calibrate.ts";
import type { ClientOptions, Report } from "./client.ts";
import { serviceEntry, virtualService, writeCorpus } from "./corpus.ts";
import { cpuSeconds, memory, percentile, resetPeak } from "./measure.ts";

/** One measured piece of work. */
interface Row {
  readonly work: string;
  readonly cpuSeconds: number;
  /** CPU seconds divided by those of the fixed piece of work. */
  readonly relative: number;
  readonly concerned: number;
  readonly responses: number;
  readonly resources: number;
  readonly megabytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly peakMiB: number;
  readonly residentMiB: number;
}

/** How long nothing must arrive before a piece of work counts as done, ms. */
const QUIET_MS = 1_500;

async function main(): Promise<void> {
  const flag = (name: string, fallback: number): number =>
    Number(Deno.args.find((a) => a.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
  const services = flag("services", 1000);
  const count = flag("clients", 500);
  const delta = !Deno.args.includes("--sotw");
  const fixed = calibrate();
  await using config = await makeConfigDir();
  await writeCorpus(config.path, services);
  const started = performance.now();
  await using daemon = await startDaemon({ configDir: config.path });
  const ready = performance.now() - started;
  const readyCpu = await cpuSeconds(daemon.program.pid);
  const clients = await startClients({ target: daemon.xds, clients: count, delta, workloads: 5 });
  const bench = { daemon, clients, fixed, rows: [] as Row[] };

  await measure(bench, `first sync of ${count}`, () => clients.ask(`connect ${daemon.xds}`));
  const edit = (file: string, text: string) => () => config.write(file, text);
  await measure(bench, "endpoint of one service", edit("se-1.yaml", serviceEntry(1, 7)));
  await measure(bench, "weight of one VirtualService", edit("vs-2.yaml", virtualService(2, 55)));
  await measure(bench, "one new service", edit("se-new.yaml", serviceEntry(services)));
  await measure(
    bench,
    "a file rewritten with the same content",
    edit("se-1.yaml", serviceEntry(1, 7)),
  );
  await using second = await startDaemon({ configDir: config.path });
  await measure(
    { ...bench, daemon: second },
    `reconnect of ${count} to a second replica`,
    async () => {
      await clients.ask(`reconnect ${second.xds}`);
      await eventually("all to be connected", async () => {
        const { totalClients } = await second.debug<{ totalClients: number }>("connections");
        return totalClients === count;
      }, 60_000);
    },
  );
  await clients.ask("quit");
  print({ services, clients: count, delta, readyMs: ready, readyCpu, fixed }, bench.rows);
}

interface Bench {
  readonly daemon: Daemon;
  readonly clients: Clients;
  readonly fixed: number;
  readonly rows: Row[];
}

/** Does a piece of work, waits until it is quiet, and notes what it took. */
async function measure(bench: Bench, work: string, act: () => Promise<unknown>): Promise<void> {
  const { pid } = bench.daemon.program;
  await bench.clients.ask("mark");
  await resetPeak(pid);
  const before = await cpuSeconds(pid);
  const start = Date.now();
  await act();
  const report = await quiet(bench.clients);
  const cpu = await cpuSeconds(pid) - before;
  const mem = await memory(pid);
  const took = report.last.map((t) => t - start);
  bench.rows.push({
    work,
    cpuSeconds: cpu,
    relative: cpu / bench.fixed,
    concerned: report.concerned,
    responses: report.responses,
    resources: report.resources + report.removed,
    megabytes: report.bytes / 1e6,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
    peakMiB: mem.peak,
    residentMiB: mem.now,
  });
  console.error(`${work}: ${cpu.toFixed(2)} CPU s`);
}

/** The clients' report once nothing new arrived for a while. */
async function quiet(clients: Clients): Promise<Report> {
  let seen = -1;
  let since = Date.now();
  return await eventually("the clients to be quiet", async () => {
    const report = await clients.ask("report");
    if (report.responses !== seen) [seen, since] = [report.responses, Date.now()];
    return Date.now() - since >= QUIET_MS && report;
  }, 120_000);
}

interface Clients {
  /** Sends a command; resolves with the report that answers it. */
  ask(command: string): Promise<Report>;
}

async function startClients(options: ClientOptions): Promise<Clients> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "-A",
      new URL("client.ts", import.meta.url).pathname,
      JSON.stringify(options),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const commands = child.stdin.getWriter();
  const answers = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = "";
  const line = async (): Promise<string> => {
    for (;;) {
      const nl = buffered.indexOf("\n");
      if (nl >= 0) {
        const first = buffered.slice(0, nl);
        buffered = buffered.slice(nl + 1);
        return first;
      }
      const { value, done } = await answers.read();
      if (done) throw new Error("the clients ended");
      buffered += value;
    }
  };
  const ask = async (command: string): Promise<Report> => {
    await commands.write(new TextEncoder().encode(command + "\n"));
    return JSON.parse(await line()) as Report;
  };
  await ask("report");
  return { ask };
}

function print(setup: Record<string, unknown>, rows: readonly Row[]): void {
  const cell = (n: number): string => n >= 100 ? n.toFixed(0) : n.toFixed(2);
  console.log(`\n${JSON.stringify(setup)}\n`);
  console.log(
    "| Work | CPU s | CPU / fixed | concerned | resources | MB | p50 ms | p99 ms | peak MiB |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const r of rows) {
    const numbers = [
      r.cpuSeconds,
      r.relative,
      r.concerned,
      r.resources,
      r.megabytes,
      r.p50Ms,
      r.p99Ms,
      r.peakMiB,
    ];
    console.log(`| ${r.work} | ${numbers.map(cell).join(" | ")} |`);
  }
  console.log(JSON.stringify({ setup, rows }));
}

if (import.meta.main) await main();
