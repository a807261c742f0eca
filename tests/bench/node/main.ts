/**
 * `deno task bench node [--runs=5] [--at-once=8] [--lines=1]`: pods on a node, from being applied to ready: with
 * a proxy, several at once, a gateway, a daemon, beside the same pods without the mesh; and the memory
 * of an idle pod with a proxy; before them, time lines of so many single pods. Needs root.
 *
 * @module
 */
import { startNodes } from "../../../scripts/cluster/node/cluster.ts";
import { apply, kubectl, podsReady, temporaryFolder, workloadArchive } from "../../support/node.ts";
import { injectedNamespace, installMesh, SYSTEM } from "../../support/node_mesh.ts";
import { podMemory } from "../../support/pod_memory.ts";
import { numberFlag } from "../flags.ts";
import { calibrate } from "../push/calibrate.ts";
import { timeline } from "./timeline.ts";
import { daemon, gateway, server, type Timed, timeToReady } from "./pods.ts";

/** Namespaces of pods without and with proxies. */
const [PLAIN, MESH] = ["plain", "meshed"];
/** Time after ready until memory is read, ms. */
const REST_MS = 20_000;

/** Runs the benchmark. */
export async function main(): Promise<void> {
  console.log(`fixed work: ${calibrate().toFixed(2)} s\n`);
  await using folder = await temporaryFolder();
  const images = [await workloadArchive(folder.path)];
  const name = `bench-${Deno.pid}`;
  await using cluster = await startNodes({ name, nodes: 1, isDetached: false, images });
  await installMesh(cluster);
  const metadata = { name: PLAIN };
  await apply(cluster, { apiVersion: "v1", kind: "Namespace", metadata });
  await injectedNamespace(cluster, MESH);
  for (let run = 0; run < numberFlag("lines", 1); run++) {
    const lines = await timeline(cluster, server(MESH, `line-${run}`));
    console.log(`${lines.join("\n")}\n`);
  }
  const many = numberFlag("at-once", 8);
  const deployed = JSON.parse(
    await kubectl(cluster, ["get", "deployment", "-n", SYSTEM, "meshd", "-o=json"]),
  );
  const rows: [string, Timed | undefined, Timed][] = [
    ["one pod", server(PLAIN, "one"), server(MESH, "one")],
    [`${many} pods at once`, server(PLAIN, "many", many), server(MESH, "many", many)],
    ["gateway", undefined, gateway(MESH, "gateway")],
    ["daemon", undefined, daemon(deployed)],
  ];
  const seconds = async (timed: Timed | undefined): Promise<string> => {
    if (timed === undefined) return "";
    const times: number[] = [];
    for (let run = 0; run < numberFlag("runs", 5); run++) {
      times.push(await timeToReady(cluster, timed) / 1000);
    }
    times.sort((a, b) => a - b);
    const [least, median, most] = [0, times.length >> 1, times.length - 1].map((at) =>
      times[at]!.toFixed(1)
    );
    return `${median} (${least} – ${most})`;
  };
  console.log("| applied to ready, s | without the mesh | with |\n| --- | ---: | ---: |");
  for (const [what, without, meshed] of rows) {
    console.log(`| ${what} | ${await seconds(without)} | ${await seconds(meshed)} |`);
  }
  await apply(cluster, ...server(MESH, "idle").objects);
  await podsReady(cluster, "app=idle", { namespace: MESH });
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const path = "{.items[0].metadata.name}";
  const get = ["get", "pods", "-n", MESH!, "-l=app=idle", `-o=jsonpath=${path}`];
  const memory = await podMemory(await kubectl(cluster, get));
  console.log("\n| idle pod, MiB | resident | proportional |\n| --- | ---: | ---: |");
  for (const [program, { resident, proportional }] of Object.entries(memory)) {
    console.log(`| ${program} | ${resident.toFixed(0)} | ${proportional.toFixed(0)} |`);
  }
}

if (import.meta.main) await main();
