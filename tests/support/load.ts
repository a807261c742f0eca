/**
 * Clients in pods that send requests all the time, and what became of their requests.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { deployment, kubectl, podsEventually, workloadContainer } from "./node.ts";

/** A client that sends a request every 20 ms, on a connection of its own. */
export interface Load {
  /** The name of its Deployment is `load-NAME`. */
  readonly name: string;
  readonly namespace: string;
  readonly url: string;
}

/** Requests that must be seen after something was done: those of two seconds. */
const AFTER = 100;

interface Count {
  readonly asked: number;
  readonly failed: number;
  /** The lines of failures. */
  readonly failures: string;
}

/** The Deployment of a client. It begins to count with its first success. */
export function loadDeployment({ name, namespace, url }: Load): Record<string, unknown> {
  return deployment(`load-${name}`, workloadContainer(["load", "20ms", url]), { namespace });
}

async function countOf(cluster: NodeCluster, { name, namespace }: Load): Promise<Count> {
  const log = await kubectl(cluster, ["logs", "-n", namespace, `deploy/load-${name}`, "-c", "app"]);
  const [, asked = "0", failed = "0"] =
    [...log.matchAll(/^(\d+) requests, (\d+) failed$/gm)].at(-1) ?? [];
  const failures = log.split("\n").filter((line) => line.startsWith("failure")).slice(-20);
  return { asked: Number(asked), failed: Number(failed), failures: failures.join("\n") };
}

/** Waits until requests of all clients succeed. */
export async function loadsRun(cluster: NodeCluster, loads: readonly Load[]): Promise<void> {
  for (const load of loads) {
    await podsEventually(`requests of ${load.name}`, async () => {
      return (await countOf(cluster, load)).asked > 0;
    });
  }
}

/** Does something and asserts that no request fails until a while afterwards. */
export async function withoutFailure<T>(
  cluster: NodeCluster,
  loads: readonly Load[],
  act: () => Promise<T>,
): Promise<T> {
  const before = await Promise.all(loads.map((load) => countOf(cluster, load)));
  const result = await act();
  const done = await Promise.all(loads.map((load) => countOf(cluster, load)));
  for (const [at, load] of loads.entries()) {
    const after = await podsEventually(`more requests of ${load.name}`, async () => {
      const count = await countOf(cluster, load);
      return count.asked >= done[at]!.asked + AFTER && count;
    });
    const failed = after.failed - before[at]!.failed;
    const asked = after.asked - before[at]!.asked;
    assert.equal(failed, 0, `${load.name}: ${failed} of ${asked} failed\n${after.failures}`);
  }
  return result;
}
