/**
 * The network plugin on a node, installed as a user does at default settings: pods of restricted
 * namespaces serve through their proxies, pods that started without it are found, upgrades and removal
 * lose nothing.
 *
 * @module
 */
import assert from "node:assert/strict";
import { importMeshImages, meshctl } from "../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { sectionsOfPage, shellFor } from "./install/page.ts";
import { upgradeUnderNewPods } from "./cni/upgrade.ts";
import {
  apply,
  deployment,
  kubectl,
  nodeTest,
  podsEventually,
  podsReady,
  temporaryFolder,
  workloadContainer,
} from "../support/node.ts";
import { asks, callerOf, isOk, peers } from "../support/node_mesh.ts";
import {
  configuration,
  DAEMON_SET,
  filesOfPlugin,
  install,
  NODE,
  ofPod,
  plugins,
  requirePrecheck,
  untilBroken,
} from "./cni/plugin.ts";
import { restrictedNamespace, server } from "./cni/restricted.ts";
import { clientIn, restrictedTraffic } from "./cni/traffic.ts";

const SHOP = "shop";
/** The client of the namespace. */
const IN_SHOP = clientIn(SHOP);
/** Injection relies on the plugin, whether the installation has it or not. */
const RELY = "values.pilot.cni.enabled=true";
const WITH_PLUGIN = "components.cni.enabled=true";
const TAINT = "cni.mesh.io/not-ready";

nodeTest(
  "the network plugin, from the first pod that lacks it to its removal",
  async (cluster, t) => {
    await importMeshImages(cluster, () => {}, ["pilot-discovery", "pilot-agent", "install-cni"]);
    const before = await configuration(cluster);
    await t.step("a pod that starts before the plugin says so, and does not run", async () => {
      await install(cluster, RELY);
      await restrictedNamespace(cluster, SHOP);
      await apply(cluster, peers(SHOP, "STRICT"), ...server(SHOP, "early"));
      await untilBroken(cluster, SHOP, "early");
      await requirePrecheck(cluster, ["MSH1005", "MSH1006"]);
    });
    await t.step(
      "the plugin is installed beside the node's own, and broken pods get a label",
      async () => {
        const labels = ["repair.repairPods=false", "repair.labelPods=true"];
        const out = await install(
          cluster,
          WITH_PLUGIN,
          ...labels.map((one) => `values.cni.${one}`),
        );
        assert.match(out, /✔ CNI installed/);
        assert.deepEqual(await plugins(cluster), ["ptp", "portmap", "mesh-cni"]);
        await podsEventually("the label of the broken pod", async () => {
          const path = "{.items[0].metadata.labels.cni\\.mesh\\.io/uninitialized}";
          return await ofPod(cluster, SHOP, "early", path) === "true";
        });
      },
    );
    await t.step("restricted pods serve through their proxies", async () => {
      await restrictedTraffic(cluster, SHOP);
      await requirePrecheck(cluster, []);
    });
    await t.step("an upgrade that deletes broken pods, while pods start all the time", async () => {
      const uid = await ofPod(cluster, SHOP, "early", "{.items[0].metadata.uid}");
      await upgradeUnderNewPods(cluster, SHOP, async () => {
        await install(
          cluster,
          WITH_PLUGIN,
          ...["repair.repairPods=false", "repair.deletePods=true"].map((one) =>
            `values.cni.${one}`
          ),
        );
      });
      await podsReady(cluster, "app=early", { namespace: SHOP });
      assert.notEqual(await ofPod(cluster, SHOP, "early", "{.items[0].metadata.uid}"), uid);
      await asks(cluster, IN_SHOP, ["http://early/"], (lines) => lines.every(isOk));
    });
    await t.step("a plan without the plugin takes it off the node", async () => {
      const out = await install(cluster, RELY);
      assert.match(
        out,
        /the network plugin, .* will be removed: DaemonSet mesh-system\/mesh-cni-node/,
      );
      await untilRemoved(cluster, before);
    });
    await t.step(
      "in place: a broken pod is repaired, and a new node waits for the plugin",
      () => repairInPlace(cluster),
    );
    await t.step("a node that starts again", () => restartNode(cluster));
    await t.step("uninstall: the node has what it had before", async () => {
      const { status, out, err } = await meshctl(cluster, ["uninstall", "-y", "--purge"]);
      assert.equal(status, 0, out + err);
      await untilRemoved(cluster, before);
      await apply(cluster, deployment("after", workloadContainer(["sleep", "1h"])));
      await podsReady(cluster, "app=after");
    });
  },
);

/** Waits until nothing of the plugin is on the node, and its configuration means what it did. */
async function untilRemoved(cluster: NodeCluster, before: unknown): Promise<void> {
  await podsEventually("the node without the plugin", async () => {
    assert.deepEqual(await configuration(cluster), before);
    assert.deepEqual(await filesOfPlugin(cluster), []);
    return true;
  });
}

/** A broken pod stays and is repaired; pods of a node with the taint wait until the plugin is ready. */
async function repairInPlace(cluster: NodeCluster): Promise<void> {
  await apply(cluster, ...server(SHOP, "late"));
  await untilBroken(cluster, SHOP, "late");
  const uid = await ofPod(cluster, SHOP, "late", "{.items[0].metadata.uid}");
  await kubectl(cluster, ["taint", "node", NODE, `${TAINT}=:NoSchedule`]);
  await apply(cluster, ...server(SHOP, "tainted"));
  await podsEventually("the reason of the pod that waits", async () => {
    const path = "{.items[0].status.conditions[?(@.type=='PodScheduled')].reason}";
    return await ofPod(cluster, SHOP, "tainted", path) === "Unschedulable";
  });
  await installByPage(cluster);
  for (const app of ["late", "tainted"]) {
    await podsReady(cluster, `app=${app}`, { namespace: SHOP });
  }
  assert.equal(await ofPod(cluster, SHOP, "late", "{.items[0].metadata.uid}"), uid);
  for (const app of ["late", "tainted"]) {
    const [line] = await asks(
      cluster,
      IN_SHOP,
      [`http://${app}/headers`],
      (lines) => lines.every(isOk),
    );
    assert.equal(callerOf(line!), "spiffe://cluster.local/ns/shop/sa/default", app);
  }
}

/** Runs the commands of the page about installations. */
async function installByPage(cluster: NodeCluster): Promise<void> {
  await using folder = await temporaryFolder();
  const run = await shellFor(cluster, folder.path);
  const page = await sectionsOfPage();
  const commands = page.get("Pods without rights over their network");
  assert.ok(commands, "the page has no such section");
  assert.match(await run(`${page.get("")}\n${commands}`), /✔ CNI installed/);
}

/** The kubelet and the runtime of the node start again; pods start as before. */
async function restartNode(cluster: NodeCluster): Promise<void> {
  await cluster.restartNode(NODE);
  await apply(cluster, ...server(SHOP, "again"));
  await podsReady(cluster, "app=again", { namespace: SHOP });
  await asks(cluster, IN_SHOP, ["http://again/"], (lines) => lines.every(isOk));
  await kubectl(cluster, ["rollout", "status", ...DAEMON_SET, "--timeout=120s"]);
}
