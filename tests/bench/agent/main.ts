/**
 * `deno task bench agent [--runs=3] [--services=1000] [--clients=20] [--probes=2000]
 * [--queries=10000]`: start of an agent to ready and memory at rest, from the sources and from the
 * bundle of a built program, without a proxy and with Envoy; added latency of probes; cost of the
 * relay; queries of the DNS proxy ({@link module:bench/dns/main}).
 *
 * @module
 */
import { bundle } from "../../../scripts/compile.ts";
import {
  type AgentOptions,
  makeConfigDir,
  startAgent,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { fromFileUrl } from "../../../scripts/paths.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { writeCorpus } from "../../support/corpus.ts";
import { main as measureDns } from "../dns/main.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import { probeRows, probers, startApplication } from "./probes.ts";
import { relayRows } from "./relay.ts";
import { startCells, startOnce } from "./start.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
/** The agent runs without Envoy. */
const ALONE = { DISABLE_DATAPROXY: "true" };

/** Runs the benchmark. */
export async function main(): Promise<void> {
  console.log(`fixed work: ${calibrate().toFixed(2)} s\n`);
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-bench-agent-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const config = stack.use(await makeConfigDir());
  await writeCorpus(config.path, numberFlag("services", 1000));
  const daemon = stack.use(await startDaemon({ configDir: config.path }));
  const options: AgentOptions = {
    role: "sidecar",
    name: "bench",
    namespace: "ns-0",
    ip: "127.0.0.1",
    xds: daemon.xds,
    dir,
    envoy: await envoyPath(),
  };
  await printStarts(options, `${dir}/bundle`);
  const application = startApplication();
  stack.defer(() => application.shutdown());
  const env = { ...ALONE, MESH_ORCH_APP_PROBERS: probers(application.addr.port) };
  const agent = stack.use(await startAgent({ ...options, name: "load", env }));
  console.log("\n| probe | p50 ms | p99 ms |\n|---|---|---|");
  const probes = await probeRows(agent, application.addr.port, numberFlag("probes", 2000));
  console.log(probes.join("\n"));
  console.log("\n| sync of the clients from | MB | s | CPU ms of the agent per MB | peak MiB |");
  console.log("|---|---|---|---|---|");
  const [clients, socket] = [numberFlag("clients", 20), `${dir}/load/etc/XDS`];
  console.log((await relayRows({ daemon, agent, socket, clients })).join("\n"));
  console.log("");
  await measureDns();
}

async function printStarts(options: AgentOptions, folder: string): Promise<void> {
  const module = await bundle(ROOT, "pilot-agent", folder);
  console.log("| agent | from | ready ms | CPU s | at rest MiB | own MiB |");
  console.log("|---|---|---|---|---|---|");
  const cases = [["alone", ALONE], ["with Envoy", {}]] as const;
  for (const [kind, env] of cases) {
    for (const [from, file] of [["sources", undefined], ["bundle", module]] as const) {
      const starts = [];
      // The first start fills the runtime's caches.
      for (let run = 0; run <= numberFlag("runs", 3); run++) {
        starts.push(await startOnce({ ...options, env, module: file }));
      }
      console.log(`| ${kind} | ${from} | ${startCells(starts.slice(1)).join(" | ")} |`);
    }
  }
}

if (import.meta.main) await main();
