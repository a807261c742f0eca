/**
 * `deno task bench faults`: many edits, clients that connect and drop, thousands that reconnect at
 * once. After each it checks that all clients are served and memory is back to its level.
 *
 * @module
 */
import { startDaemon } from "../../scripts/harness/mod.ts";
import type { Daemon } from "../../scripts/harness/mod.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { DiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { memory } from "./push/measure.ts";
import { type Clients, startClients } from "./push/run.ts";

const SERVICES = 100;
const EDITS = 10_000;
const DROPS_A_SECOND = 1_000;
const SECONDS = 5;
const RETURNING = 5_000;
/** Time (ms) after which the daemon is idle again. */
const REST = 3_000;
const CLUSTERS = TYPE_URLS.cluster;
const STREAM = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

function service(i: number, variant: number): string {
  const namespace = `n${i % 20}`;
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: { name: s${i}, namespace: ${namespace} }
spec:
  hosts: [s${i}.${namespace}.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: 10.1.0.${variant % 250} }]
`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function metric(daemon: Daemon, name: string): Promise<number> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

/**
 * Prints a row. The stall is read before garbage is collected, because collection stops the
 * process.
 */
async function row(daemon: Daemon, after: string): Promise<void> {
  const stall = await metric(daemon, "process_event_loop_lag_seconds");
  await (await fetch(`${daemon.introspection}/memj/forcecollection`, { method: "PUT" })).text();
  await pause(REST / 2);
  const heap = await metric(daemon, "process_heap_bytes");
  const { now } = await memory(daemon.program.pid);
  const proxies = (await daemon.debug<unknown[]>("syncz")).length;
  const { differences } = await daemon.debug<{ differences: number }>("audit");
  await metric(daemon, "process_event_loop_lag_seconds");
  const cells = [after, Math.round(heap / 2 ** 20), Math.round(now), Math.round(stall * 1000)];
  console.log(`| ${[...cells, proxies, differences].join(" | ")} |`);
}

/** Edits the endpoint of each service in turn, as fast as the disk allows. */
async function storm(dir: string, clients: Clients): Promise<void> {
  const start = Date.now();
  await clients.ask("mark");
  for (let n = 0; n < EDITS; n++) {
    const i = n % SERVICES;
    Deno.writeTextFileSync(`${dir}/s${i}.yaml`, service(i, 1 + Math.floor(n / SERVICES)));
  }
  const wrote = Date.now();
  await pause(REST);
  const { resources, last } = await clients.ask("report");
  const late = Math.max(...last) - wrote;
  console.log(
    `${EDITS} edits in ${wrote - start} ms: ${resources} resources, the last ${late} ms later`,
  );
}

/** Opens streams that request clusters and end at once. */
async function drops(target: string): Promise<void> {
  const start = Date.now();
  for (let n = 0; n < SECONDS * DROPS_A_SECOND; n++) {
    if (n % 100 === 0) await pause(Math.max(0, start + n * 1000 / DROPS_A_SECOND - Date.now()));
    const stream = openStream({ target, path: STREAM });
    const id = `sidecar~10.9.${n >> 8}.${n & 255}~p${n}.n1~n1.svc.cluster.local`;
    const request = create(DiscoveryRequestSchema, { node: { id }, typeUrl: CLUSTERS });
    stream.send(encode(DiscoveryRequestSchema, request));
    stream.messages[Symbol.asyncIterator]().next().catch(() => {});
    await Promise.resolve().then(() => stream.close());
  }
  console.log(`${SECONDS * DROPS_A_SECOND} connects and drops in ${Date.now() - start} ms`);
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-faults-" });
  for (let i = 0; i < SERVICES; i++) await Deno.writeTextFile(`${dir}/s${i}.yaml`, service(i, 1));
  const env = { PILOT_MAX_REQUESTS_PER_SECOND: "100000" };
  await using daemon = await startDaemon({ configDir: dir, env });
  const target = daemon.xds;
  const options = { target, delta: true, workloads: 5 };
  const few = await startClients({ ...options, clients: 50 });
  await few.ask(`connect ${target}`);
  console.log("| after | heap MiB | resident MiB | stall ms | proxies | audit's differences |");
  console.log("| --- | --: | --: | --: | --: | --: |");
  await row(daemon, "50 clients");
  await storm(dir, few);
  await row(daemon, "a storm of edits");
  await drops(target);
  await row(daemon, "connects and drops");
  const many = await startClients({ ...options, clients: RETURNING });
  await many.ask(`connect ${target}`);
  await row(daemon, `${RETURNING} first connects`);
  await many.ask("mark");
  await many.ask(`reconnect ${target}`);
  await pause(3 * REST);
  console.log(`they came back: ${(await many.ask("report")).resources} resources`);
  await row(daemon, `${RETURNING} reconnects`);
  // The streams end without a response.
  for (const clients of [many, few]) void clients.ask("quit").catch(() => {});
  await pause(2 * REST);
  await row(daemon, "everybody left");
  await (await fetch(`${daemon.http}/debug/cachez?clear=true`)).text();
  await row(daemon, "letting go of what nobody uses");
  await Deno.remove(dir, { recursive: true });
}
