/**
 * `deno task bench fast-client [--services=1000] [--clients=500] [--reconnects=10]
 * [--narrowed]`: a daemon with
 * clients that read as fast as they can, beside the wire floor: a bare server on the same runtime
 * that writes the same number of bytes to as many clients. Mutual TLS everywhere. Prints CPU,
 * bytes, convergence and memory of the first sync and of reconnects, what the memory consists of,
 * and the ratio to the floor. `--narrowed`: a Sidecar in each namespace imports its own hosts alone. `--env=NAME=VALUE` sets a variable of the daemon, such as
 * `DENO_V8_FLAGS`; `--module=FILE` runs a bundle.
 *
 * @module
 */
import { type Daemon, eventually, freePort, makeConfigDir } from "../../../scripts/harness/mod.ts";
import { startCommand, startDaemon } from "../../../scripts/harness/mod.ts";
import { sidecars, strictAuthentication, writeCorpus } from "../../support/corpus.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import { ACCOUNT, type Identities, prepareIdentities } from "../push/identity.ts";
import { cpuSeconds } from "../push/measure.ts";
import { type Bench, type Clients, measure, print, startClients } from "../push/run.ts";
import type { FloorOptions } from "./floor.ts";
import { type MemoryParts, memoryParts } from "./memory_parts.ts";

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const services = numberFlag("services", 1000);
  const count = numberFlag("clients", 500);
  const reconnects = numberFlag("reconnects", 10);
  const fixed = calibrate();
  await using config = await makeConfigDir();
  await using authority = await makeConfigDir();
  const identities = await prepareIdentities(authority.path);
  await writeCorpus(config.path, services, ACCOUNT);
  await config.write("strict.yaml", strictAuthentication());
  if (Deno.args.includes("--narrowed")) await config.write("sidecars.yaml", sidecars());
  const port = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    secured: port,
    env: { ROOT_CA_DIR: authority.path, ...envFlags() },
    module: moduleFlag(),
  });
  const target = `localhost:${port}`;
  const clients = await startClients(
    { target, tls: identities.proxies, clients: count, delta: true, workloads: 5 },
    new URL("client.ts", import.meta.url),
  );
  const bench: Bench = { daemon, clients, fixed, rows: [] };
  const parts: [string, MemoryParts][] = [["ready", await memoryParts(daemon)]];
  await measure(bench, `first sync of ${count}`, () => clients.ask(`connect ${target}`));
  parts.push(["first sync", await memoryParts(daemon)]);
  for (let i = 1; i <= reconnects; i++) {
    await measure(bench, `reconnect ${i} of all`, async () => {
      await clients.ask(`reconnect ${target}`);
      await connected(daemon, count);
    });
  }
  if (reconnects > 0) parts.push([`${reconnects} reconnects`, await memoryParts(daemon)]);
  await collect(daemon);
  parts.push(["garbage collected", await memoryParts(daemon)]);
  const first = bench.rows[0]!;
  const floor = await measureFloor(clients, identities, Math.ceil(first.megabytes * 1e6 / count));
  await clients.ask("quit");
  print({ services, clients: count, fixed, floorCpu: floor }, bench.rows);
  printParts(parts);
  console.log(
    `wire floor ${floor.toFixed(2)} CPU s; ` +
      `first sync ${(first.cpuSeconds / floor).toFixed(1)} times as much`,
  );
}

/** Variables of the daemon. */
function envFlags(): Record<string, string> {
  const given = Deno.args.filter((arg) => arg.startsWith("--env="));
  return Object.fromEntries(given.map((arg) => {
    const [name = "", ...value] = arg.slice("--env=".length).split("=");
    return [name, value.join("=")];
  }));
}

/** The daemon's bundled module, if `--module=FILE` names one. */
function moduleFlag(): string | undefined {
  return Deno.args.find((arg) => arg.startsWith("--module="))?.slice("--module=".length);
}

async function connected(daemon: Daemon, count: number): Promise<void> {
  await eventually("all to be connected", async () => {
    const { totalClients } = await daemon.debug<{ totalClients: number }>("connections");
    return totalClients === count;
  }, 60_000);
}

async function collect(daemon: Daemon): Promise<void> {
  const answer = await fetch(`${daemon.introspection}/memj/forcecollection`, { method: "PUT" });
  await answer.body?.cancel();
}

/** CPU seconds of a bare server for the same bytes. */
async function measureFloor(
  clients: Clients,
  { server }: Identities,
  bytes: number,
): Promise<number> {
  const file = new URL("floor.ts", import.meta.url).pathname;
  const options: FloorOptions = { bytes, ...server };
  const words = ["run", "-q", "-A", file, JSON.stringify(options)];
  await using program = startCommand(Deno.execPath(), words);
  await program.printed(/^\d+\n/);
  const before = await cpuSeconds(program.pid);
  await clients.ask(`floor localhost:${Number.parseInt(program.output())} ${bytes}`);
  return await cpuSeconds(program.pid) - before;
}

function printParts(parts: readonly (readonly [string, MemoryParts])[]): void {
  const names = Object.keys(parts[0]![1]) as (keyof MemoryParts)[];
  console.log(`\n| MiB after | ${names.join(" | ")} |`);
  console.log(`|---|${names.map(() => "---|").join("")}`);
  for (const [when, sizes] of parts) {
    console.log(`| ${when} | ${names.map((name) => sizes[name].toFixed(0)).join(" | ")} |`);
  }
  console.log();
}

if (import.meta.main) await main();
