/**
 * `deno task bench push [--services=1000] [--clients=500] [--sotw | --whole | --on-demand] [--mtls]`: cost of
 * pushes for the daemon. With `--mtls` the clients connect to the secured port with certificates, and
 * all listeners and clusters have mutual TLS. The clients run in a process of their own. Each row
 * is one piece of work with the daemon's CPU seconds, sent resources and bytes, memory and
 * convergence. Prints a table, and JSON on the last line.
 *
 * @module
 */
import {
  type ConfigDir,
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "./calibrate.ts";
import {
  authorizationPolicy,
  serviceEntry,
  strictAuthentication,
  virtualService,
  writeCorpus,
} from "../../support/corpus.ts";
import { ACCOUNT, prepareIdentities } from "./identity.ts";
import { cpuSeconds } from "./measure.ts";
import { type Bench, measure, print, type Row, startClients } from "./run.ts";

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const services = numberFlag("services", 1000);
  const count = numberFlag("clients", 500);
  const delta = !Deno.args.includes("--sotw");
  const fixed = calibrate();
  await using config = await makeConfigDir();
  await using authority = await makeConfigDir();
  const tls = Deno.args.includes("--mtls")
    ? (await prepareIdentities(authority.path)).proxies
    : undefined;
  const account = tls && ACCOUNT;
  await writeCorpus(config.path, services, account);
  if (tls) await config.write("strict.yaml", strictAuthentication());
  const start = () => startTarget(config.path, tls && authority.path);
  const started = performance.now();
  await using first = await start();
  const { daemon, target } = first;
  const ready = performance.now() - started;
  const readyCpu = await cpuSeconds(daemon.program.pid);
  const clients = await startClients({
    target,
    tls,
    clients: count,
    delta,
    workloads: 5,
    whole: Deno.args.includes("--whole"),
    onDemand: Deno.args.includes("--on-demand"),
  });
  const bench = { daemon, clients, fixed, rows: [] as Row[] };

  await measure(bench, `first sync of ${count}`, () => clients.ask(`connect ${target}`));
  await measureEdits(bench, config, services, account);
  await using replica = await start();
  const second = replica.daemon;
  await measure(
    { ...bench, daemon: second },
    `reconnect of ${count} to a second replica`,
    async () => {
      await clients.ask(`reconnect ${replica.target}`);
      await eventually("all to be connected", async () => {
        const { totalClients } = await second.debug<{ totalClients: number }>("connections");
        return totalClients === count;
      }, 60_000);
    },
  );
  if (tls) {
    await measure(
      { ...bench, daemon: second },
      `${count} TLS handshakes`,
      () => clients.ask(`handshakes ${replica.target}`),
    );
  }
  await clients.ask("quit");
  print({
    services,
    clients: count,
    delta,
    mtls: tls !== undefined,
    readyMs: ready,
    readyCpu,
    fixed,
  }, bench.rows);
}

/** Measures edits of single files. */
async function measureEdits(
  bench: Bench,
  config: ConfigDir,
  services: number,
  account: string | undefined,
): Promise<void> {
  const edit = (file: string, text: string) => () => config.write(file, text);
  await measure(bench, "endpoint of one service", edit("se-1.yaml", serviceEntry(1, 7, account)));
  await measure(bench, "weight of one VirtualService", edit("vs-2.yaml", virtualService(2, 55)));
  await measure(bench, "one new service", edit("se-new.yaml", serviceEntry(services, 0, account)));
  await measure(bench, "a policy for one namespace", edit("ap.yaml", authorizationPolicy(1)));
  await measure(
    bench,
    "a file rewritten with the same content",
    edit("se-1.yaml", serviceEntry(1, 7, account)),
  );
}

/** Starts a daemon for the clients: with an authority, they use its secured port. */
async function startTarget(
  configDir: string,
  authority: string | undefined,
): Promise<{ daemon: Daemon; target: string } & AsyncDisposable> {
  const secured = authority === undefined ? undefined : freePort();
  const daemon = await startDaemon({
    configDir,
    ...secured !== undefined && { secured, env: { ROOT_CA_DIR: authority! } },
  });
  return {
    daemon,
    target: secured === undefined ? daemon.xds : `localhost:${secured}`,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

if (import.meta.main) await main();
