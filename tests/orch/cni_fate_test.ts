/**
 * The end of the network plugin's agent, with a real API server: an upgrade leaves the node as it is, a
 * removal cleans it.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  createClient,
  createObject,
  deleteObject,
  mergePatch,
  types,
} from "../../lib/kit/orch/mod.ts";
import { expectedDaemonSet, fateOf, findDaemonSet } from "../../lib/node/cni_install/mod.ts";
import { adminAccess, adminClient, clusterTest } from "../support/cluster.ts";

const NAME = { namespace: "mesh-system", name: "mesh-cni-node" };
const LABELS = { app: "agent" };

/** A DaemonSet that is kept while it is being deleted. */
const DAEMON_SET = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { ...NAME, finalizers: ["test.mesh.io/kept"] },
  spec: {
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: { containers: [{ name: "install-cni", image: "install-cni" }] },
    },
  },
};

clusterTest("the agent's DaemonSet decides between an upgrade and a removal", async (cluster) => {
  using client = await adminClient(cluster);
  const pod = { namespace: NAME.namespace, name: "agent-1" };
  assert.deepEqual(expectedDaemonSet(NAME.namespace), NAME);
  const kindOf = async (couldRead: boolean, by = client) =>
    (await fateOf(by, NAME, couldRead)).kind;

  assert.equal(await kindOf(false), "uninstall", "there is none");
  await assert.rejects(findDaemonSet(client, pod), /404/);

  await createObject(client, types.DAEMON_SET, DAEMON_SET);
  assert.deepEqual(await findDaemonSet(client, pod), NAME);
  assert.equal(await kindOf(true), "upgrade");

  await deleteObject(client, types.DAEMON_SET, NAME);
  const { kind, why } = await fateOf(client, NAME, true);
  assert.deepEqual([kind, /is being deleted/.test(why)], ["uninstall", true]);

  // Rights that were taken away mean a removal only for an agent that had them.
  const daemon = await adminAccess(cluster, undefined, cluster.files.daemonKubeconfig);
  using stranger = createClient(daemon, { rate: { qps: 0, burst: 0 } });
  assert.equal(await kindOf(true, stranger), "uninstall");
  assert.equal(await kindOf(false, stranger), "unknown");

  await mergePatch(client, types.DAEMON_SET, NAME, { metadata: { finalizers: [] } });
  assert.equal(await kindOf(true), "uninstall", "it is gone");

  using away = await adminClient(cluster, "https://127.0.0.1:1");
  assert.equal(await kindOf(true, away), "unknown");
});
