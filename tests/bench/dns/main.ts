/**
 * `deno task bench dns [--queries=20000] [--names=2000] [--clients=16]`: queries a second and their
 * times, for names of the mesh and forwarded ones, against the nameserver asked directly. Proxy,
 * nameserver and clients are processes of their own or of this one, over UDP on loopback. A client
 * sends its next query when it has the answer.
 *
 * @module
 */
import { createSocket, type Socket } from "node:dgram";
import { fromFileUrl } from "../../../scripts/paths.ts";
import { type Program, startCommand } from "../../../scripts/harness/mod.ts";
import { makeQuery } from "../../support/dns_client.ts";
import { numberFlag } from "../flags.ts";
import { cpuSeconds, memory } from "../push/measure.ts";

const HERE = fromFileUrl(new URL(".", import.meta.url));
/** Milliseconds after which a query without an answer counts as lost. */
const LOST_MS = 5000;

async function program(name: string, ...args: string[]): Promise<[Program, port: number]> {
  const started = startCommand(Deno.execPath(), ["run", "-q", "-A", `${HERE}${name}.ts`, ...args]);
  await started.printed(/^port \d+$/m);
  return [started, Number(/^port (\d+)$/m.exec(started.output())?.[1])];
}

interface Load {
  readonly port: number;
  readonly queries: number;
  readonly clients: number;
  readonly nameOf: (n: number) => string;
}

/** Sends queries and gives the times of the answers, ms. */
async function load({ port, queries, clients, nameOf }: Load): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    const socket = createSocket("udp4");
    while (next < queries) {
      const query = makeQuery(nameOf(next++), "A");
      const begin = performance.now();
      await exchange(socket, query, port);
      times.push(performance.now() - begin);
    }
    await new Promise<void>((done) => socket.close(() => done()));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times.sort((a, b) => a - b);
}

function exchange(socket: Socket, query: Uint8Array, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("a query was lost")), LOST_MS);
    socket.once("message", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.send(query, port, "127.0.0.1");
  });
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const [queries, names] = [numberFlag("queries", 20_000), numberFlag("names", 2000)];
  const clients = numberFlag("clients", 16);
  const [nameserver, direct] = await program("nameserver");
  await using _nameserver = nameserver;
  const [proxy, port] = await program("proxy", "127.0.0.1", `${direct}`, `${names}`);
  await using _proxy = proxy;
  const known = (n: number) => `host-${n % names}.test`;
  const cases: readonly [string, Omit<Load, "queries" | "clients">][] = [
    ["nameserver, directly", { port: direct, nameOf: known }],
    ["proxy, names of the mesh", { port, nameOf: known }],
    ["proxy, below a search domain", { port, nameOf: (n) => `${known(n)}.corp.test` }],
    ["proxy, forwarded", { port, nameOf: (n) => `host-${n}.example.org` }],
  ];
  console.log("| queries to | a second | p50 ms | p99 ms | CPU µs of the proxy each |");
  console.log("|---|---|---|---|---|");
  for (const [what, target] of cases) {
    await load({ ...target, queries: queries / 10, clients });
    const [begin, cpu] = [performance.now(), await cpuSeconds(proxy.pid)];
    const times = await load({ ...target, queries, clients });
    const seconds = (performance.now() - begin) / 1000;
    const used = (await cpuSeconds(proxy.pid) - cpu) * 1e6 / queries;
    const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(2);
    const row = [what, (queries / seconds).toFixed(0), at(0.5), at(0.99), used.toFixed(0)];
    console.log(`| ${row.join(" | ")} |`);
  }
  const { peak } = await memory(proxy.pid);
  console.log(`\npeak memory of the proxy: ${peak.toFixed(0)} MiB`);
}
