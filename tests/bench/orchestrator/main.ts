/**
 * `deno task bench orchestrator [--pods=5000] [--services=1000] [--restarted=500]
 * [--endpoints=2000] [--ingresses=1000]`: a daemon over a real API server: time to ready and memory; then a rolling
 * restart of pods, and the time from the write of each EndpointSlice to the response that a connected
 * client acknowledges; then the CPU of single events.
 *
 * @module
 */
import {
  createObject,
  deleteObject,
  mergePatch,
  type OrchClient,
  types,
} from "../../../lib/kit/orch/mod.ts";
import {
  type Daemon,
  eventually,
  startCluster,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { adminClient } from "../../support/cluster.ts";
import { make, makeService, objectOf } from "../../support/cluster_objects.ts";
import {
  type EndpointWatcher,
  type ReceivedEndpoints,
  watchEndpoints,
} from "../../support/endpoint_watcher.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import { cpuSeconds, memory, percentile } from "../push/measure.ts";
import { measureEvents } from "./events.ts";
import { measureIngresses } from "./ingresses.ts";
import { inParallel } from "./parallel.ts";

/** Requests at a time. */
const WRITERS = 20;
/** Pods that are restarted at a time. */
const ROLLING = 10;
const NODES = 20;

/** A pod of a service. */
interface Pod {
  readonly name: string;
  readonly address: string;
  readonly node: string;
}

interface Workload {
  readonly service: string;
  pods: Pod[];
}

/** A replaced pod. */
interface Replacement {
  readonly cluster: string;
  readonly address: string;
  /** When the write of the slice was sent, milliseconds since the epoch. */
  readonly writtenAt: number;
}

let addresses = 0;

function nextPod(service: string, index: number): Pod {
  const n = ++addresses;
  const address = `10.${n >> 16}.${n >> 8 & 255}.${n & 255}`;
  return { name: `${service}-${index}-${n}`, address, node: `node-${n % NODES}` };
}

async function writePod(client: OrchClient, service: string, { name, node }: Pod): Promise<void> {
  await make(client, types.POD, { name, labels: { app: service, version: "v1" } }, {
    spec: {
      nodeName: node,
      serviceAccountName: service,
      containers: [{ name: "main", image: "example/main", ports: [{ containerPort: 8080 }] }],
    },
  });
}

function endpointsOf(pods: readonly Pod[]) {
  return pods.map(({ name, address, node }) => ({
    addresses: [address],
    conditions: { ready: true },
    nodeName: node,
    targetRef: { kind: "Pod", name, namespace: "default" },
  }));
}

async function writeWorkload(client: OrchClient, { service, pods }: Workload): Promise<void> {
  await makeService(client, service);
  for (const pod of pods) await writePod(client, service, pod);
  const labels = { "kubernetes.io/service-name": service };
  const slice = objectOf(types.ENDPOINT_SLICE, { name: service, labels }, {
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: endpointsOf(pods),
  });
  await createObject(client, types.ENDPOINT_SLICE, slice);
}

function clusterOf(service: string): string {
  return `outbound|80||${service}.default.svc.cluster.local`;
}

/** Replaces the first pod of a workload, as a rolling restart does. */
async function restart(client: OrchClient, workload: Workload): Promise<Replacement> {
  const { service, pods } = workload;
  const [old, ...rest] = pods;
  const fresh = nextPod(service, 0);
  await writePod(client, service, fresh);
  workload.pods = [...rest, fresh];
  const slice = { namespace: "default", name: service };
  const writtenAt = Date.now();
  await mergePatch(client, types.ENDPOINT_SLICE, slice, { endpoints: endpointsOf(workload.pods) });
  const name = { namespace: "default", name: old!.name };
  await deleteObject(client, types.POD, name);
  return { cluster: clusterOf(service), address: `${fresh.address}:8080`, writtenAt };
}

/** Milliseconds from each write to the first response with the new address. */
function convergence(
  received: readonly ReceivedEndpoints[],
  replacements: readonly Replacement[],
): number[] {
  return replacements.map(({ cluster, address, writtenAt }) => {
    const first = received.find((one) =>
      one.cluster === cluster && one.addresses.includes(address)
    );
    if (first === undefined) throw new Error(`${address} did not arrive`);
    return first.at - writtenAt;
  }).sort((a, b) => a - b);
}

/** Services whose endpoints at the client differ from those that were written. */
function stale(watcher: EndpointWatcher, workloads: readonly Workload[]): string[] {
  return workloads.filter(({ service, pods }) => {
    const wanted = pods.map(({ address }) => `${address}:8080`).sort().join();
    return watcher.addresses(clusterOf(service))?.join() !== wanted;
  }).map(({ service }) => service);
}

async function atRest(daemon: Daemon): Promise<number> {
  for (let i = 0; i < 2; i++) {
    const address = `${daemon.introspection}/memj/forcecollection`;
    await (await fetch(address, { method: "PUT" })).body?.cancel();
  }
  return (await memory(daemon.program.pid)).now;
}

async function oldestDifference(daemon: Daemon): Promise<string> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return /^mesh_oldest_difference_seconds (\S+)$/m.exec(text)?.[1] ?? "missing";
}

async function roll(client: OrchClient, workloads: readonly Workload[], count: number) {
  const each = Math.ceil(count / 5);
  const replaced: Replacement[] = [];
  // Five pods of each workload, one after the other.
  await inParallel(workloads.slice(0, each), ROLLING, async (workload) => {
    for (let i = 0; i < 5; i++) replaced.push(await restart(client, workload));
  });
  return replaced;
}

async function writeNodes(client: OrchClient): Promise<void> {
  for (let i = 0; i < NODES; i++) {
    const labels = {
      "topology.kubernetes.io/region": "r1",
      "topology.kubernetes.io/zone": `z${i % 3}`,
    };
    await make(client, types.NODE, { name: `node-${i}`, labels });
  }
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const pods = numberFlag("pods", 5000);
  const services = numberFlag("services", 1000);
  const restarted = numberFlag("restarted", 500);
  const fixed = calibrate();
  await using cluster = await startCluster();
  using client = await adminClient(cluster);
  await writeNodes(client);
  const workloads = Array.from({ length: services }, (_, i): Workload => {
    const service = `service-${i}`;
    const count = Math.floor(pods / services) + Number(i < pods % services);
    return { service, pods: Array.from({ length: count }, (_, p) => nextPod(service, p)) };
  });
  await inParallel(workloads, WRITERS, (workload) => writeWorkload(client, workload));
  await using empty = await startDaemon({ configDir: await Deno.makeTempDir({ prefix: "mesh-" }) });
  const bare = await atRest(empty);
  await empty[Symbol.asyncDispose]();
  const started = performance.now();
  await using daemon = await startDaemon({
    configDir: "",
    args: [`--orchconfig=${cluster.files.kubeconfig}`],
  });
  const ready = performance.now() - started;
  const { peak } = await memory(daemon.program.pid);
  const rest = await atRest(daemon);
  using watcher = watchEndpoints(daemon.xds, workloads.map(({ service }) => clusterOf(service)));
  await eventually("all endpoints at the client", () => stale(watcher, workloads).length === 0);
  const before = await cpuSeconds(daemon.program.pid);
  const rolling = performance.now();
  const replaced = await roll(client, workloads, restarted);
  const rolled = performance.now() - rolling;
  await eventually("no stale endpoint", () => stale(watcher, workloads).length === 0);
  const times = convergence(watcher.received, replaced);
  const cpu = await cpuSeconds(daemon.program.pid) - before;
  const events = await measureEvents(client, daemon, {
    nodes: NODES,
    endpoints: numberFlag("endpoints", 2000),
  });
  const ingresses = await measureIngresses(client, daemon, numberFlag("ingresses", 1000));
  console.log(`${pods} pods, ${services} services; the fixed work took ${fixed.toFixed(2)} s\n`);
  console.log("| figure | value |\n| --- | ---: |");
  const rows: readonly (readonly [string, string])[] = [
    ["start of the process to ready, s", (ready / 1000).toFixed(2)],
    ["memory at rest, MiB", rest.toFixed(0)],
    ["of that, above a daemon without objects, MiB", (rest - bare).toFixed(0)],
    ["peak of memory until ready, MiB", peak.toFixed(0)],
    [`rolling restart of ${replaced.length} pods, s`, (rolled / 1000).toFixed(1)],
    ["CPU of the daemon for it, s", cpu.toFixed(2)],
    ...[0.5, 0.9, 0.99, 1].map((share): [string, string] => [
      `write to acknowledged response, p${share * 100}, ms`,
      percentile(times, share).toFixed(0),
    ]),
    ["stale endpoints afterwards", String(stale(watcher, workloads).length)],
    ["`mesh_oldest_difference_seconds` afterwards", await oldestDifference(daemon)],
    ...events,
    ...ingresses,
  ];
  for (const [name, value] of rows) console.log(`| ${name} | ${value} |`);
}

if (import.meta.main) await main();
