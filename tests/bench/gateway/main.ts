/**
 * `deno task bench gateway [--routes=5000] [--namespaces=50] [--added=30]`: a daemon over a real API
 * server with many HTTPRoutes, and a real Envoy as their gateway: CPU and memory of the daemon; time
 * from the write of one more route to its first response, at rest and while other routes change; the
 * status of routes and of the Gateway; responses while routes change.
 *
 * @module
 */
import {
  listAll,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../../lib/kit/orch/mod.ts";
import {
  call,
  type Daemon,
  eventually,
  freePort,
  startAgent,
  startBackend,
  startCluster,
  startDaemon,
} from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { adminClient } from "../../support/cluster.ts";
import { make } from "../../support/cluster_objects.ts";
import { applyGatewayApi } from "../../support/gateway_api.ts";
import { numberFlag } from "../flags.ts";
import { inParallel } from "../orchestrator/parallel.ts";
import { calibrate } from "../push/calibrate.ts";
import { cpuSeconds, memory, percentile } from "../push/measure.ts";
import { EDGE, GATEWAY, grant, hostOf, makeEdge, makeRoute, ROUTE, specOf } from "./objects.ts";

const WRITERS = 20;
/** Time between two changes of routes that run beside the measured ones, in milliseconds. */
const CHURN_MS = 100;
const DEADLINE_MS = 300_000;

type Figure = readonly [name: string, value: string];

/** The client, the daemon and the gateway that are measured. */
interface World {
  readonly client: OrchClient;
  readonly daemon: Daemon;
  /** Address of the gateway's listener. */
  readonly url: string;
  readonly namespaces: readonly string[];
}

function answers({ url }: World, name: string, path = "/"): Promise<boolean> {
  return call(`${url}${path}`, { host: hostOf(name) }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Pause before each route that is added at rest, in milliseconds: longer than a quiet time. */
const REST_MS = 250;

/** Milliseconds from the write of each of some routes, after a pause, to its first response. */
async function timesOfRoutes(
  world: World,
  { prefix, count, pause }: { prefix: string; count: number; pause: number },
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const name = `${prefix}-${i}`;
    await new Promise((done) => setTimeout(done, pause));
    const began = performance.now();
    await makeRoute(world.client, world.namespaces[i % world.namespaces.length]!, name);
    await eventually(`a response of ${name}`, () => answers(world, name), DEADLINE_MS);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}

/** Changes routes one after the other until it is stopped. Returns the number of changes. */
function churn({ client, namespaces }: World): () => Promise<number> {
  let isOver = false;
  let changes = 0;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const name = { namespace: namespaces[0]!, name: "route-0" };
      await mergePatch(client, ROUTE, name, { spec: specOf("route-0", `/${++changes}`) });
      await new Promise((done) => setTimeout(done, CHURN_MS));
    }
  };
  const running = loop();
  return async () => {
    isOver = true;
    await running;
    return changes;
  };
}

/** Sends requests to one route until it is stopped. Returns statuses with their numbers. */
function traffic(world: World, name: string): () => Promise<Map<number, number>> {
  let isOver = false;
  const statuses = new Map<number, number>();
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const status = await call(world.url, { host: hostOf(name) }).then((a) => a.status, () => 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const running = loop();
  return async () => {
    isOver = true;
    await running;
    return statuses;
  };
}

interface GatewayObject extends OrchObject {
  readonly status?: { readonly listeners?: readonly { readonly attachedRoutes: number }[] };
}

interface RouteObject extends OrchObject {
  readonly metadata: OrchObject["metadata"] & { readonly generation?: number };
  readonly status?: {
    readonly parents?: readonly {
      readonly conditions: readonly { readonly observedGeneration?: number }[];
    }[];
  };
}

async function attachedRoutes(client: OrchClient): Promise<number> {
  const [gateway] = await listAll<GatewayObject>(client, GATEWAY, { namespace: EDGE.namespace });
  return gateway?.status?.listeners?.[0]?.attachedRoutes ?? 0;
}

async function haveStatus(client: OrchClient): Promise<boolean> {
  const routes = await listAll<RouteObject>(client, ROUTE, {});
  return routes.every(({ metadata, status }) =>
    status?.parents?.[0]?.conditions[0]?.observedGeneration === metadata.generation
  );
}

/** Versions of all routes: a written status is a new version. */
async function versions(client: OrchClient): Promise<Map<string, string>> {
  const routes = await listAll<OrchObject>(client, ROUTE, {});
  return new Map(routes.map(({ metadata }) => [
    `${metadata.namespace}/${metadata.name}`,
    metadata.resourceVersion ?? "",
  ]));
}

/** Routes that are rewritten while objects change that do not concern them. */
async function rewritten(world: World, changes: number): Promise<number> {
  const { client } = world;
  await eventually("all routes to have a status", () => haveStatus(client), DEADLINE_MS);
  const before = await versions(client);
  for (let i = 0; i < changes; i++) {
    await make(client, types.SERVICE, { name: `beside-${i}` }, { spec: { ports: [{ port: 80 }] } });
  }
  await timesOfRoutes(world, { prefix: "after", count: 1, pause: 0 });
  const after = await versions(client);
  return [...before].filter(([name, version]) => after.get(name) !== version).length;
}

/** An address of this machine that endpoints may have. */
function ownAddress(): string {
  const found = Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
  if (found === undefined) throw new Error("This machine has no address but loopback ones.");
  return found.address;
}

async function measure(world: World, counts: { routes: number; added: number }) {
  const { client, daemon, namespaces } = world;
  const figures: Figure[] = [];
  const add = (name: string, value: number, digits = 0) =>
    void figures.push([name, value.toFixed(digits)]);
  const { pid } = daemon.program;
  const all = Array.from({ length: counts.routes }, (_, i) => i);
  const [began, cpuBefore] = [performance.now(), await cpuSeconds(pid)];
  add("memory without routes, MiB", (await memory(pid)).now);
  await inParallel(all, WRITERS, async (i) => {
    await makeRoute(client, namespaces[i % namespaces.length]!, `route-${i}`);
  });
  add("writing of the routes, s", (performance.now() - began) / 1000, 1);
  const last = `route-${counts.routes - 1}`;
  await eventually(`a response of ${last}`, () => answers(world, last), DEADLINE_MS);
  add("until the last one answers, s", (performance.now() - began) / 1000, 1);
  const isAttached = async () => await attachedRoutes(client) === counts.routes;
  await eventually("all routes to be counted", isAttached, DEADLINE_MS);
  add("until the Gateway's status counts all, s", (performance.now() - began) / 1000, 1);
  // Written at the pace of status; unfinished writes would count as those of other objects below.
  await eventually("all routes to have a status", () => haveStatus(client), DEADLINE_MS);
  add("until all routes have a status, s", (performance.now() - began) / 1000, 1);
  add("CPU of the daemon for it, s", await cpuSeconds(pid) - cpuBefore, 1);
  add("memory with the routes, MiB", (await memory(pid)).now);
  const rest = { count: counts.added, pause: REST_MS };
  const quiet = await timesOfRoutes(world, { prefix: "quiet", ...rest });
  const requests = traffic(world, "quiet-0");
  const stop = churn(world);
  const busy = await timesOfRoutes(world, { prefix: "busy", count: counts.added, pause: 0 });
  const changes = await stop();
  const statuses = await requests();
  for (const [what, times] of [["at rest", quiet], ["under churn", busy]] as const) {
    for (const share of [0.5, 0.9, 1]) {
      const name = `write of a route to its first response ${what}, p${share * 100}, ms`;
      add(name, percentile(times, share));
    }
  }
  const total = [...statuses.values()].reduce((sum, n) => sum + n, 0);
  add(`requests while ${changes} changes were made`, total);
  add("of these, other than 200", total - (statuses.get(200) ?? 0));
  add("routes rewritten by 20 other objects", await rewritten(world, 20));
  return figures;
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const counts = { routes: numberFlag("routes", 5000), added: numberFlag("added", 30) };
  const fixed = calibrate();
  await using cluster = await startCluster();
  await applyGatewayApi(cluster);
  using client = await adminClient(cluster);
  // Leases of the elections of controllers are here.
  await make(client, types.NAMESPACE, { name: "mesh-system" });
  const address = ownAddress();
  await using backend = startBackend("backend", address);
  const port = freePort();
  await makeEdge(client, { port, backend: { address, port: backend.port } });
  const namespaces = Array.from({ length: numberFlag("namespaces", 50) }, (_, i) => `routes-${i}`);
  for (const name of namespaces) await make(client, types.NAMESPACE, { name });
  for (let i = 0; i < namespaces.length; i += 16) {
    await grant(client, `routes-${i}`, namespaces.slice(i, i + 16));
  }
  await using daemon = await startDaemon({
    configDir: "",
    args: [`--orchconfig=${cluster.files.kubeconfig}`],
  });
  const dir = await Deno.makeTempDir({ prefix: "mesh-gateway-" });
  await using _ = await startAgent({
    role: "router",
    name: "edge",
    namespace: EDGE.namespace,
    labels: { "gateway.networking.k8s.io/gateway-name": EDGE.name },
    ip: address,
    xds: daemon.xds,
    envoy: await envoyPath(),
    dir,
  });
  const world = { client, daemon, url: `http://${address}:${port}`, namespaces };
  const figures = await measure(world, counts);
  await Deno.remove(dir, { recursive: true });
  console.log(
    `${counts.routes} routes in ${namespaces.length} namespaces; fixed work ${
      fixed.toFixed(2)
    } s\n`,
  );
  console.log("| figure | value |\n| --- | ---: |");
  for (const [name, value] of figures) console.log(`| ${name} | ${value} |`);
}

if (import.meta.main) await main();
