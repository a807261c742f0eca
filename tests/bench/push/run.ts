/**
 * Measures pieces of work of a daemon with many clients, and prints a table.
 *
 * @module
 */
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import type { ClientOptions, Report } from "./client.ts";
import { cpuSeconds, memory, percentile, resetPeak } from "./measure.ts";

/** One measured piece of work. */
export interface Row {
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
  /** The longest time in which the daemon's event loop ran one thing. */
  readonly stallMs: number;
}

/** Quiet time after which a piece of work is complete, ms. */
const QUIET_MS = 1_500;

/** A benchmark with its results. */
export interface Bench {
  readonly daemon: Daemon;
  readonly clients: Clients;
  readonly fixed: number;
  readonly rows: Row[];
}

/** Runs a piece of work, waits for quiet, and records the cost. */
export async function measure(
  bench: Bench,
  work: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const { pid } = bench.daemon.program;
  await bench.clients.ask("mark");
  await resetPeak(pid);
  await stall(bench.daemon);
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
    stallMs: await stall(bench.daemon),
  });
  console.error(`${work}: ${cpu.toFixed(2)} CPU s`);
}

/** Largest delay of the daemon's event loop since the last call, ms. */
async function stall(daemon: Daemon): Promise<number> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return 1000 * Number(/^process_event_loop_lag_seconds (\S+)$/m.exec(text)?.[1] ?? NaN);
}

/** The clients' report after a quiet time. */
async function quiet(clients: Clients): Promise<Report> {
  let seen = -1;
  let since = Date.now();
  return await eventually("the clients to be quiet", async () => {
    const report = await clients.ask("report");
    if (report.responses !== seen) [seen, since] = [report.responses, Date.now()];
    return Date.now() - since >= QUIET_MS && report;
  }, 120_000);
}

/** The client process. */
export interface Clients {
  /** Sends a command; resolves with the report that answers it. */
  ask(command: string): Promise<Report>;
}

/** Starts the clients; they connect on command. `module`: the program of the process. */
export async function startClients(
  options: ClientOptions,
  module: URL = new URL("client.ts", import.meta.url),
): Promise<Clients> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "-A",
      module.pathname,
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

/** Prints a Markdown table, and JSON on the last line. */
export function print(setup: Record<string, unknown>, rows: readonly Row[]): void {
  const cell = (n: number): string => n >= 100 ? n.toFixed(0) : n.toFixed(2);
  console.log(`\n${JSON.stringify(setup)}\n`);
  console.log(
    "| Work | CPU s | CPU / fixed | concerned | resources | MB | p50 ms | p99 ms | peak MiB | stall ms |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|");
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
      r.stallMs,
    ];
    console.log(`| ${r.work} | ${numbers.map(cell).join(" | ")} |`);
  }
  console.log(JSON.stringify({ setup, rows }));
}
