/**
 * Commands that write to a cluster or make something for it: machines, remote secrets, revision tags.
 * What they make is used: an agent starts, a daemon reads another cluster, pods are injected.
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { type Cluster, freePorts, startCluster, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { runInProcess } from "../support/program_run.ts";
import { type CommandCluster, machines } from "./cases/machines.ts";
import { remoteSecrets } from "./cases/remote_secrets.ts";
import { injector, revisionTags } from "./cases/revision_tags.ts";

/** Runs `meshctl` with a cluster. */
function commandsOf(cluster: Cluster) {
  return async (...args: string[]) => {
    const all = [...args, "-c", cluster.files.kubeconfig];
    const [out, err, status] = await runInProcess(MESHCTL, all);
    return { out, err, status };
  };
}

clusterTest("commands about machines, clusters and tags", async (cluster, t) => {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await adminClient(cluster));
  await applyDefinitions(client);
  const [secured, webhooks] = freePorts(2) as [number, number];
  for (const revision of ["default", "canary"]) {
    const { success, text } = await cluster.run(
      ["apply", "-f", "-"],
      JSON.stringify(injector(revision, webhooks)),
    );
    assert.ok(success, text);
  }
  const daemon = stack.use(
    await startDaemon({
      configDir: "",
      secured,
      args: [
        `--orchconfig=${cluster.files.daemonKubeconfig}`,
        `--httpsAddr=127.0.0.1:${webhooks}`,
        "--clusterID=home",
      ],
      env: { REVISION: "canary", PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "50ms" },
    }),
  );
  const parts: CommandCluster = { cluster, client, daemon, secured, run: commandsOf(cluster) };
  await t.step("tags route injection to their revision", () => revisionTags(parts));
  await t.step("a machine joins with the files that are made for it", () => machines(parts));
  await t.step("a remote secret adds a cluster", async () => {
    const other = stack.use(await startCluster({ controllers: true }));
    await remoteSecrets(parts, { other, run: commandsOf(other) });
  });
}, { controllers: true });
