/**
 * Ambient mode on a node, installed as a user does: running pods enter the mesh and leave it without a restart
 * and without a failed request, and go on while each part of the mesh starts again.
 *
 * @module
 */
import assert from "node:assert/strict";
import { meshctl } from "../../scripts/cluster/mesh/install.ts";
import { apply, kubectl, nodeTest, podsEventually, podsReady } from "../support/node.ts";
import { asks, isClosed, isOk, OUTSIDER, peers, type PodPlace } from "../support/node_mesh.ts";
import {
  clients,
  explained,
  importImages,
  installAmbient,
  lackingNodeProxy,
  logs,
  makeShop,
  requireNoFailure,
  restart,
  rulesOfNode,
  rulesOfPods,
  server,
  SHOP,
  tunnelVersion,
  untilAnnounced,
} from "./ambient/ambient.ts";
import { flipLabel, killProcesses, runsOnHostNetwork } from "./ambient/faults.ts";

const CLIENT: PodPlace = { pod: "deploy/client", namespace: SHOP };
const MODE = "mesh.io/dataplane-mode";

nodeTest(
  "ambient mode: running pods enter and leave, and every part of the mesh starts again",
  async (cluster, t) => {
    await importImages(cluster);
    await makeShop(cluster);
    await apply(cluster, ...server("server"), ...clients());
    for (const namespace of [SHOP, "default"]) {
      await podsReady(cluster, "app=load", { namespace });
    }
    await podsReady(cluster, "app=server", { namespace: SHOP });
    await t.step("the profile installs the network plugin and the node proxy", async () => {
      const out = await installAmbient(cluster);
      assert.match(out, /✔ CNI installed/);
      assert.match(out, /✔ Ztunnel installed/);
      await requireNoFailure(cluster, "the installation");
    });
    await t.step("a label of the namespace takes running pods in, without a failure", async () => {
      await kubectl(cluster, ["label", "namespace", SHOP, `${MODE}=ambient`]);
      await untilAnnounced(cluster, "enabled");
      await requireNoFailure(cluster, "the label");
      assert.match(await rulesOfNode(cluster), /-j SNAT --to-source 169\.254\.7\.127/);
    });
    await t.step("packets between pods are TLS 1.3 on port 15008", async () => {
      // A new pod opens a tunnel of its own.
      const [version] = await Promise.all([
        tunnelVersion(cluster),
        (async () => {
          await kubectl(cluster, ["rollout", "restart", "-n", SHOP, "deploy/client"]);
          await kubectl(cluster, ["rollout", "status", "-n", SHOP, "deploy/client"]);
          await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
        })(),
      ]);
      assert.equal(version, "TLS 1.3", await logs(cluster));
      const { stdout } = await cluster.run(["logs", "-n=mesh-system", "daemonset/ztunnel"]);
      assert.match(stdout, /spiffe:\/\/cluster\.local\/ns\/shop\/sa\/default/);
    });
    await t.step(
      "strict peers: the outsider is refused, and probes of the kubelet pass",
      async () => {
        await kubectl(cluster, ["delete", "deploy", "load"]);
        await apply(cluster, peers(SHOP, "STRICT"));
        await asks(cluster, OUTSIDER, [`http://server.${SHOP}/`], (lines) => lines.every(isClosed));
        await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
        const said = await Promise.all([
          explained(cluster, CLIENT, `server.${SHOP}/`),
          explained(cluster, OUTSIDER, `server.${SHOP}/`),
        ]);
        assert.deepEqual(said.map(({ status }) => status), [0, 1], JSON.stringify(said));
        assert.match(said[0].out, /node proxy of client-[^]*node proxy of server-/);
        assert.match(said[1].out, new RegExp(`DENIED by PeerAuthentication/${SHOP}/default`));
        await podsReady(cluster, "app=server", { namespace: SHOP });
        // A pod that starts is ready by its probe alone.
        await apply(cluster, ...server("late"));
        await podsReady(cluster, "app=late", { namespace: SHOP });
        await untilAnnounced(cluster, "enabled");
        await asks(cluster, CLIENT, ["http://late/"], (lines) => lines.every(isOk));
        await asks(cluster, OUTSIDER, [`http://late.${SHOP}/`], (lines) => lines.every(isClosed));
        await kubectl(cluster, ["delete", "peerauthentication", "-n", SHOP, "default"]);
        await asks(cluster, OUTSIDER, [`http://server.${SHOP}/`], (lines) => lines.every(isOk));
      },
    );
    await t.step("a killed node proxy comes back, and all pods are served again", async () => {
      await kubectl(cluster, ["delete", "-n", SHOP, "deploy", "load"]);
      await killProcesses(cluster, "app=ztunnel");
      await untilAnnounced(cluster, "enabled");
      await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
    });
    await apply(cluster, ...clients());
    for (const namespace of [SHOP, "default"]) await podsReady(cluster, "app=load", { namespace });
    await t.step("a killed node agent takes nothing with it", async () => {
      await killProcesses(cluster, "k8s-app=mesh-cni-node");
      await requireNoFailure(cluster, "the end of the node agent");
      await untilAnnounced(cluster, "enabled");
    });
    await t.step(
      "a label that changes 100 times loses no request, and the last one holds",
      async () => {
        await flipLabel(cluster, 100, "ambient");
        await untilAnnounced(cluster, "enabled");
        await requireNoFailure(cluster, "the changes of the label");
        await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
      },
    );
    await t.step("a pod in the network of the node is not taken in", async () => {
      await runsOnHostNetwork(cluster);
    });
    for (const part of ["daemonset/ztunnel", "daemonset/mesh-cni-node", "deployment/meshd"]) {
      await t.step(`${part} starts again without a failed request`, async () => {
        await restart(cluster, part);
        await requireNoFailure(cluster, part);
        await untilAnnounced(cluster, "enabled");
      });
    }
    await t.step("without the label the pods leave, and nothing is left of the rules", async () => {
      await kubectl(cluster, ["label", "namespace", SHOP, `${MODE}-`]);
      await untilAnnounced(cluster, "");
      await requireNoFailure(cluster, "the end of the label");
      assert.equal(await rulesOfPods(cluster), "");
    });
    await t.step("uninstall takes the rules of pods and of the node away", async () => {
      await kubectl(cluster, ["label", "namespace", SHOP, `${MODE}=ambient`]);
      await untilAnnounced(cluster, "enabled");
      const { status, out, err } = await meshctl(cluster, ["uninstall", "-y", "--purge"]);
      assert.equal(status, 0, out + err);
      await podsEventually("the node without rules", async () => {
        return await rulesOfPods(cluster) === "" && await rulesOfNode(cluster) === "";
      });
    });
  },
  { lacking: lackingNodeProxy() },
);
