/**
 * An installation whose image cannot be pulled.
 *
 * @module
 */
import assert from "node:assert/strict";
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";
import { IMPORTED, meshctl, SYSTEM } from "../../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { eventually, startProgram } from "../../../scripts/harness/mod.ts";
import { clientOf } from "../../support/node.ts";

const IMAGE = "docker.io/mesh/pilot:none";

interface ObjectEvent extends ListItem {
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly name?: string };
}

/**
 * The command names the pod, the image and the event while it waits; Ctrl-C ends it, and nothing of it
 * stays after its removal.
 */
export async function missingImage(cluster: NodeCluster): Promise<void> {
  const [hub] = IMPORTED;
  const args = ["install", "-y", "--revision=bad", "--set=profile=minimal", hub!, "--set=tag=none"];
  const start = performance.now();
  await using program = startProgram(["meshctl", ...args, "-c", cluster.kubeconfig]);
  await program.printed(/Deployment mesh-system\/meshd-bad \(/, 120_000);
  const applied = performance.now();
  const event = await failedPull(cluster);
  const happened = performance.now();
  const { name = "" } = event.involvedObject ?? {};
  await program.printed(
    `Deployment ${SYSTEM}/meshd-bad: Pod ${name}: the image ${IMAGE} of container discovery ` +
      `cannot be pulled: ${event.message}\n`,
  );
  const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
  console.log(
    `waits for the daemon after ${seconds(start, applied)}, the event is there after ` +
      `${seconds(start, happened)} and said after ${seconds(start, performance.now())}`,
  );
  program.kill("SIGINT");
  await program.printed(/interrupted: \d+ of \d+ objects were applied/);
  const { status, out, err } = await meshctl(cluster, ["uninstall", "-y", "--revision=bad"]);
  assert.equal(status, 0, err);
  assert.match(out, /✔ Uninstall complete/);
}

/** The event by which the orchestrator says that the image cannot be pulled. */
async function failedPull(cluster: NodeCluster): Promise<ObjectEvent> {
  using client = await clientOf(cluster);
  return await eventually("an event about the image", async () => {
    const events = await listAll<ObjectEvent>(client, types.EVENT, { namespace: SYSTEM });
    return events.find(({ reason, message, involvedObject }) =>
      reason === "Failed" && message?.includes(IMAGE) === true &&
      /^meshd-bad-/.test(involvedObject?.name ?? "")
    );
  });
}
