/**
 * `deno task bench cni [--runs=20] [--at-once=50]`: ADD of the network plugin end to end, by cnitool
 * behind the plugin bridge, beside the same network without it: one after another, many at once, and
 * the process of the plugin alone with its peak memory. Pods are objects of a real API server. Needs
 * root.
 *
 * @module
 */
import { createObject, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { startCluster } from "../../../scripts/harness/mod.ts";
import { missingForPlugin, type PluginNode, pluginNode } from "../../orch/plugin/node.ts";
import { createPod } from "../../orch/plugin/pod.ts";
import { adminClient } from "../../support/cluster.ts";
import { ensureNamespace } from "../../support/service_accounts.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import { helperPeaks } from "./helper.ts";

const VERSION = "1.0.0";
/** Networks without and with the plugin. */
const [PLAIN, MESH] = ["plain", "mesh"];

interface Given {
  readonly client: OrchClient;
  readonly node: PluginNode;
}

/** Runs the benchmark. */
export async function main(): Promise<void> {
  const reason = missingForPlugin();
  if (reason !== undefined) throw new Error(`it cannot run here: ${reason}`);
  console.log(`fixed work: ${calibrate().toFixed(2)} s\n`);
  await using cluster = await startCluster();
  using client = await adminClient(cluster);
  await ensureNamespace(client, "shop");
  await createObject(client, types.SERVICE_ACCOUNT, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace: "shop" },
  });
  await using node = await pluginNode();
  await node.network(PLAIN!, VERSION, "bridge", false);
  await node.network(MESH!, VERSION, "bridge");
  const stop = await node.agent(client);
  try {
    await measure({ client, node });
  } finally {
    await stop();
  }
}

async function measure(given: Given): Promise<void> {
  const [runs, many] = [numberFlag("runs", 20), numberFlag("at-once", 50)];
  const one: Record<string, number[]> = { [PLAIN!]: [], [MESH!]: [] };
  await add(given, MESH!); // The first call compiles code.
  for (let i = 0; i < runs; i++) {
    for (const network of [PLAIN!, MESH!]) one[network]!.push(await add(given, network));
  }
  console.log("| ADD, ms | without | with | added |\n| --- | ---: | ---: | ---: |");
  row("one after another", median(one[PLAIN!]!), median(one[MESH!]!));
  const all: Record<string, { readonly each: number; readonly whole: number }> = {};
  for (const network of [PLAIN!, MESH!]) all[network] = await atOnce(given, network, many);
  row(`${many} at once, each`, all[PLAIN!]!.each, all[MESH!]!.each);
  row(`${many} at once, until the last`, all[PLAIN!]!.whole, all[MESH!]!.whole);
  const { node } = given;
  const peaks = await helperPeaks(node, await pods(given, runs));
  console.log(
    `\nprocess of the plugin: ${median(peaks.map(({ ms }) => ms)).toFixed(0)} ms from start to ` +
      `end, ${(Math.max(...peaks.map(({ peakKib }) => peakKib)) / 1024).toFixed(1)} MiB at most`,
  );
}

/** Names of namespaces with their pods. */
async function pods({ client, node }: Given, count: number) {
  const made: { readonly space: string; readonly pod: string }[] = [];
  for (let i = 0; i < count; i++) {
    const name = `p-${crypto.randomUUID().slice(0, 8)}`;
    made.push({ space: await node.space(), pod: await createPod(client, name) });
  }
  return made;
}

/** Milliseconds of one ADD, whose DEL is not counted. */
async function add(given: Given, network: string): Promise<number> {
  const [one] = await pods(given, 1);
  const ms = await addTo(given.node, network, one!);
  await given.node.tool({ verb: "del", network, ...one! });
  return ms;
}

async function addTo(
  node: PluginNode,
  network: string,
  one: { readonly space: string; readonly pod: string },
): Promise<number> {
  const start = performance.now();
  const { success, out, err } = await node.tool({ verb: "add", network, ...one });
  if (!success) throw new Error(`ADD to ${network}: ${out}${err}`);
  return performance.now() - start;
}

async function atOnce(given: Given, network: string, count: number) {
  const made = await pods(given, count);
  const start = performance.now();
  const each = await Promise.all(made.map((one) => addTo(given.node, network, one)));
  const whole = performance.now() - start;
  for (const one of made) await given.node.tool({ verb: "del", network, ...one });
  return { each: median(each), whole };
}

function row(name: string, without: number, plugin: number): void {
  const cells = [without, plugin, plugin - without].map((ms) => ms.toFixed(0));
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

if (import.meta.main) await main();
