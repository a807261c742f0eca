/**
 * Case: heartbeats of Nodes and status events of pods change nothing.
 *
 * @module
 */
import assert from "node:assert/strict";
import { mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";

/** Events of each kind. */
const EVENTS = 5;

/** The Node and the pod, of which nothing changes that the mesh reads, and then a label. */
export async function statusEvents(
  client: OrchClient,
  daemon: Daemon,
  { node, pod }: { readonly node: string; readonly pod: string },
): Promise<void> {
  const before = await updates(daemon);
  const at = { namespace: "default", name: pod };
  for (let i = 1; i <= EVENTS; i++) {
    const conditions = [{
      type: "Ready",
      status: "True",
      lastHeartbeatTime: `2030-01-01T00:00:0${i}Z`,
    }];
    await mergePatch(client, types.NODE, { name: node, subresource: "status" }, {
      status: { conditions },
    });
    await mergePatch(client, types.POD, { ...at, subresource: "status" }, {
      status: { message: `${i}` },
    });
  }
  // Events of a type arrive in their order: when the last one is here, all others are.
  const metadata = { labels: { last: "yes" } };
  await mergePatch(client, types.NODE, { name: node }, { metadata });
  await mergePatch(client, types.POD, at, { metadata });
  await eventually("the labels", async () => {
    const now = await updates(daemon);
    return now.Nodes > before.Nodes && now.Pods > before.Pods;
  });
  assert.deepEqual(await updates(daemon), { Nodes: before.Nodes + 1, Pods: before.Pods + 1 });
}

/** Changes of nodes and pods so far. */
async function updates({ monitoring }: Daemon): Promise<{ Nodes: number; Pods: number }> {
  const text = await (await fetch(`${monitoring}/metrics`)).text();
  const count = (type: string): number => {
    const line = `^pilot_k8s_reg_events\\{type="${type}",event="update"\\} (\\d+)$`;
    return Number(new RegExp(line, "m").exec(text)?.[1] ?? 0);
  };
  return { Nodes: count("Nodes"), Pods: count("Pods") };
}
