/**
 * `deno task bench push [--services=1000] [--clients=500] [--sotw | --whole]`: cost of pushes for
 * the daemon. The clients run in a process of their own. Each row is one piece of work with the
 * daemon's CPU seconds, sent resources and bytes, memory and convergence. Prints a table, and JSON
 * on the last line.
 *
 * @module
 */
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "./calibrate.ts";
import {
  authorizationPolicy,
  serviceEntry,
  virtualService,
  writeCorpus,
} from "../../tests/support/corpus.ts";
import { cpuSeconds } from "./measure.ts";
import { measure, print, type Row, startClients } from "./run.ts";

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const services = numberFlag("services", 1000);
  const count = numberFlag("clients", 500);
  const delta = !Deno.args.includes("--sotw");
  const fixed = calibrate();
  await using config = await makeConfigDir();
  await writeCorpus(config.path, services);
  const started = performance.now();
  await using daemon = await startDaemon({ configDir: config.path });
  const ready = performance.now() - started;
  const readyCpu = await cpuSeconds(daemon.program.pid);
  const clients = await startClients({
    target: daemon.xds,
    clients: count,
    delta,
    workloads: 5,
    whole: Deno.args.includes("--whole"),
  });
  const bench = { daemon, clients, fixed, rows: [] as Row[] };

  await measure(bench, `first sync of ${count}`, () => clients.ask(`connect ${daemon.xds}`));
  const edit = (file: string, text: string) => () => config.write(file, text);
  await measure(bench, "endpoint of one service", edit("se-1.yaml", serviceEntry(1, 7)));
  await measure(bench, "weight of one VirtualService", edit("vs-2.yaml", virtualService(2, 55)));
  await measure(bench, "one new service", edit("se-new.yaml", serviceEntry(services)));
  await measure(bench, "a policy for one namespace", edit("ap.yaml", authorizationPolicy(1)));
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

if (import.meta.main) await main();
