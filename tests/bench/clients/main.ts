/**
 * `deno task bench clients [--objects=2000] [--writes=1800] [--kills=2] [--settle=90] [--reads=1000]`: clients
 * of the orchestrator's API, each in a process of its own against a real API server.
 *
 * Following: ConfigMaps are written while the API server is ended by `kill -9`; then the entries of the client
 * are compared with a list of the server, until they are equal or the time to settle is over. The informer of
 * `@kubernetes/client-node` is started again after each error. Its cure is a replaced function of the
 * platform (`cure.ts`). Typed calls: a ConfigMap is read again and again.
 *
 * @module
 */
import {
  isUnreachable,
  listAll,
  mergePatch,
  type OrchClient,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { type Cluster, startCluster } from "../../../scripts/harness/mod.ts";
import { adminClient } from "../../support/cluster.ts";
import { make } from "../../support/cluster_objects.ts";
import { numberFlag } from "../flags.ts";
import { inParallel } from "../orchestrator/parallel.ts";
import { cpuSeconds, memory } from "../push/measure.ts";
import { type Contestant, startContestant } from "./contestant.ts";

/** Requests at a time. */
const WRITERS = 10;
const NAMESPACE = "default";
const PAUSE_MS = 1_000;

interface Sizes {
  readonly objects: number;
  readonly writes: number;
  readonly kills: number;
  readonly settleMs: number;
  readonly reads: number;
}

/** The benchmark; see above. */
export async function main(): Promise<void> {
  const sizes: Sizes = {
    objects: numberFlag("objects", 2_000),
    writes: numberFlag("writes", 1_800),
    kills: numberFlag("kills", 2),
    settleMs: 1_000 * numberFlag("settle", 90),
    reads: numberFlag("reads", 1_000),
  };
  await using cluster = await startCluster();
  using client = await adminClient(cluster);
  const all = Array.from({ length: sizes.objects }, (_, index) => index);
  await inParallel(all, WRITERS, async (index) => {
    await make(client, types.CONFIG_MAP, { name: nameOf(index), namespace: NAMESPACE }, {
      data: { text: "x".repeat(1_500) },
    });
  });
  for (const kind of ["informer", "informer-cured", "follow"] as const) {
    await using contestant = await startContestant(kind, cluster.files.kubeconfig);
    await churn(cluster, client, sizes);
    const { wrong, seconds } = await compare(client, contestant, sizes);
    console.log(`${kind}: ${wrong} wrong entries after ${seconds} s, ${await usage(contestant)}`);
  }
  for (const kind of ["typed-library", "typed-over-orch", "typed-orch"] as const) {
    await using contestant = await startContestant(kind, cluster.files.kubeconfig);
    const before = await cpuSeconds(contestant.pid);
    console.log(`${kind}: loaded, ${await usage(contestant)}`);
    await contestant.ask(`read ${sizes.reads} ${nameOf(0)}`);
    const each = 1_000 * (await cpuSeconds(contestant.pid) - before) / sizes.reads;
    console.log(`${kind}: ${each.toFixed(2)} CPU ms a call, ${await usage(contestant)}`);
  }
}

function nameOf(index: number): string {
  return `object-${index}`;
}

async function usage({ pid }: Contestant): Promise<string> {
  const { peak } = await memory(pid);
  return `${(await cpuSeconds(pid)).toFixed(2)} CPU s, peak ${peak.toFixed(0)} MiB`;
}

/** Writes, with the server ended in between; a write that is lost with the server is made again. */
async function churn(cluster: Cluster, client: OrchClient, sizes: Sizes): Promise<void> {
  const { writes, kills, objects } = sizes;
  const part = Math.ceil(writes / (kills + 1));
  for (let kill = 0; kill <= kills; kill++) {
    const indices = Array.from({ length: part }, (_, index) => (kill * part + index) % objects);
    const writing = inParallel(indices, WRITERS, async (index) => {
      while (!await written(client, index, `${kill}`)) await cluster.ready();
    });
    if (kill < kills) {
      await cluster.apiServer.stop("SIGKILL");
      cluster.apiServer.start();
      await cluster.ready();
    }
    await writing;
  }
}

async function written(client: OrchClient, index: number, text: string): Promise<boolean> {
  const patch = { data: { count: `${text} ${crypto.randomUUID()}` } };
  try {
    const name = { name: nameOf(index), namespace: NAMESPACE };
    await mergePatch(client, types.CONFIG_MAP, name, patch);
    return true;
  } catch (error) {
    if (isUnreachable(error)) return false;
    throw error;
  }
}

async function compare(
  client: OrchClient,
  contestant: Contestant,
  { settleMs }: Sizes,
): Promise<{ readonly wrong: number; readonly seconds: number }> {
  const start = performance.now();
  for (;;) {
    const held = new Map<string, string>(JSON.parse(await contestant.ask("report")));
    const objects = await listAll<{ metadata: { name: string; resourceVersion: string } }>(
      client,
      types.CONFIG_MAP,
      { namespace: NAMESPACE },
    );
    const names = new Set(objects.map(({ metadata }) => metadata.name));
    const wrong = objects.filter(({ metadata: { name, resourceVersion } }) =>
      held.get(name) !== resourceVersion
    ).length + [...held.keys()].filter((name) =>
      !names.has(name)
    ).length;
    const past = performance.now() - start;
    if (wrong === 0 || past > settleMs) return { wrong, seconds: Math.round(past / 1_000) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
