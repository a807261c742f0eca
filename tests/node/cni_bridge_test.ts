/**
 * The network plugin behind the plugin `bridge`: restricted pods serve through their proxies, and a
 * removal leaves the file of the node as it was.
 *
 * @module
 */
import assert from "node:assert/strict";
import { importMeshImages } from "../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { nodeTest, podsEventually } from "../support/node.ts";
import { configurationText, filesOfPlugin, install, plugins, readiness } from "./cni/plugin.ts";
import { restrictedNamespace } from "./cni/restricted.ts";
import { restrictedTraffic } from "./cni/traffic.ts";

const SHOP = "shop";

nodeTest(
  "the network plugin behind a bridge: traffic by mutual TLS, and a removal that leaves the file as before",
  async (cluster, t) => {
    await importMeshImages(cluster, () => {}, ["pilot-discovery", "pilot-agent", "install-cni"]);
    const before = await configurationText(cluster);
    await t.step("it is the last plugin of the list", async () => {
      await install(cluster, "components.cni.enabled=true");
      assert.deepEqual(await plugins(cluster), ["bridge", "portmap", "mesh-cni"]);
      // Nodes of tests have IPv4 alone.
      assert.deepEqual((await readiness(cluster)).split("\n"), [
        "ready",
        "IPv4: verified",
        "IPv6: not tested: the node has no address of IPv6",
      ]);
    });
    await t.step("restricted pods on the bridge serve through their proxies", async () => {
      await restrictedNamespace(cluster, SHOP);
      await restrictedTraffic(cluster, SHOP);
      await requireBridge(cluster);
    });
    await t.step("a removal", async () => {
      await install(cluster);
      await podsEventually("the node without the plugin", async () => {
        assert.equal(await configurationText(cluster), before);
        assert.deepEqual(await filesOfPlugin(cluster), []);
        return true;
      });
    });
  },
  { network: "bridge" },
);

/** Asserts that links of pods are ports of the bridge. */
async function requireBridge(cluster: NodeCluster): Promise<void> {
  const { stdout } = await cluster.onNode("node-1", [
    "ip",
    "-o",
    "link",
    "show",
    "master",
    "pods0",
  ]);
  // Both daemons, the plugin's agent, the server and its clients.
  assert.ok(stdout.trim().split("\n").length >= 5, stdout);
}
