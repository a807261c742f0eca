/**
 * A daemon whose user has no roles at first; the other tests of this folder run with its roles alone.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, startDaemon } from "../../scripts/harness/mod.ts";
import { clusterTest, grantRoles } from "../support/cluster.ts";

clusterTest(
  "a daemon without a right waits and names it, and starts when it has its roles",
  async (cluster) => {
    await using daemon = await startDaemon({
      configDir: "",
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
      noWait: true,
    });
    await daemon.program.printed(/cannot list resource \S*configmaps/);
    const refused = await fetch(`${daemon.http}/ready`);
    assert.equal(refused.status, 503);
    assert.match(
      await refused.text(),
      /User "system:serviceaccount:mesh-system:meshd" cannot list/,
    );
    await grantRoles(cluster);
    await eventually("a ready daemon", async () => {
      const answer = await fetch(`${daemon.http}/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    });
  },
  { roles: "none" },
);
