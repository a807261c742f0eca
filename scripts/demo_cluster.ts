/**
 * `deno task demo:cluster`: a mesh in an orchestrator. As root it starts a cluster with a node and shows
 * the mesh as pods; elsewhere, an API server whose pods are only objects. On a terminal the mesh stays up
 * until Ctrl-C; otherwise the exit status is 0 if every step worked.
 *
 * @module
 */
import { MeshError } from "../lib/kit/base/mod.ts";
import { nodeObstacle } from "./cluster/node_programs.ts";
import { showApi } from "./demo/cluster_api.ts";
import { createNarrator, type Narrator } from "./demo/narrator.ts";
import { preparePods, showPods } from "./demo/pods.ts";

async function main(): Promise<number> {
  const stop = new AbortController();
  const narrator = createNarrator(stop.signal);
  const interrupt = (): void => stop.abort(new Error("interrupted"));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, interrupt);
  try {
    await show(narrator, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) {
      narrator.say("\nInterrupted; all parts are stopped.");
      return 130;
    }
    if (!(error instanceof MeshError)) throw error;
    narrator.say(`\n${error.message}`);
    if (error.remedy !== undefined) narrator.say(error.remedy);
    return 1;
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, interrupt);
  }
  if (narrator.failed.length > 0) {
    narrator.say(`\nNot seen to work: ${narrator.failed.join("; ")}`);
    return 1;
  }
  narrator.say("\nEvery step was seen to work. All parts are stopped.");
  return 0;
}

/** Shows pods where they can run, else says why not, and shows what needs no node. */
async function show(narrator: Narrator, signal: AbortSignal): Promise<void> {
  const obstacle = nodeObstacle() ?? await preparePods(narrator, signal);
  if (obstacle === undefined) return await showPods(narrator, signal);
  narrator.say(`No pods can run here: ${obstacle.message}`);
  if (obstacle.remedy !== undefined) narrator.say(obstacle.remedy);
  narrator.say("\nMesh with an orchestrator's API: an API server, a daemon and an Envoy.");
  await showApi(narrator, signal);
}

if (import.meta.main) Deno.exit(await main());
