/**
 * Ambient mode on two nodes whose pods have both versions of IP, installed as a user does: running pods enter the
 * mesh and leave it without a restart and without a failed request, and go on while each part of the mesh starts
 * again.
 *
 * @module
 */
import assert from "node:assert/strict";
import { meshctl } from "../../scripts/cluster/mesh/install.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";
import { apply, kubectl, nodeTest, podsEventually, podsReady } from "../support/node.ts";
import { asks, isClosed, isOk, OUTSIDER, peers, type PodPlace } from "../support/node_mesh.ts";
import {
  clients,
  CLIENTS_NODE,
  explained,
  importImages,
  installAmbient,
  lackingNodeProxy,
  logs,
  makeShop,
  nearLoad,
  requireNoFailure,
  restart,
  rulesOfNodes,
  rulesOfPods,
  server,
  SERVERS_NODE,
  SHOP,
  tunnelVersion,
  untilAnnounced,
  untilReady,
} from "./ambient/ambient.ts";
import {
  deletedWhileEntering,
  flipLabel,
  flushRules,
  killProcesses,
  runsOnHostNetwork,
} from "./ambient/faults.ts";
import {
  answersNames,
  NEAR_LOAD,
  probedByNode,
  sidecarAndAmbient,
  urlsOf,
  waypointForBoth,
} from "./ambient/between_nodes.ts";

const CLIENT: PodPlace = { pod: "deploy/client", namespace: SHOP };
const MODE = "mesh.io/dataplane-mode";
const LACKING = lackingNodeProxy() ?? lackingGatewayApiDefinitions();

nodeTest(
  "ambient mode: running pods enter and leave, and every part of the mesh starts again",
  async (cluster, t) => {
    await Promise.all([importImages(cluster), applyGatewayApi(cluster)]);
    await makeShop(cluster);
    await apply(cluster, ...server("server"), ...clients());
    await untilReady(cluster);
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
      const rules = await rulesOfNodes(cluster);
      assert.match(rules, /-j SNAT --to-source 169\.254\.7\.127/);
      assert.match(rules, /-j SNAT --to-source fd16:9254:7127:1337/);
    });
    await t.step("packets between the nodes are TLS 1.3 on port 15008", async () => {
      const urls = await urlsOf(cluster, "server");
      // A new pod opens tunnels of its own.
      const [versions] = await Promise.all([
        Promise.all(([4, 6] as const).map((ip) => tunnelVersion(cluster, ip))),
        (async () => {
          await kubectl(cluster, ["rollout", "restart", "-n", SHOP, "deploy/client"]);
          await kubectl(cluster, ["rollout", "status", "-n", SHOP, "deploy/client"]);
          await asks(cluster, CLIENT, urls, (lines) => lines.every(isOk));
        })(),
      ]);
      assert.deepEqual(versions, ["TLS 1.3", "TLS 1.3"], await logs(cluster));
      const { stdout } = await cluster.run(["logs", "-n=mesh-system", "daemonset/ztunnel"]);
      assert.match(stdout, /spiffe:\/\/cluster\.local\/ns\/shop\/sa\/default/);
      await answersNames(cluster, CLIENT);
    });
    await t.step(
      "strict peers: the outsider is refused, and probes of the kubelet pass",
      async () => {
        await kubectl(cluster, ["delete", "deploy", "load"]);
        await apply(cluster, peers(SHOP, "STRICT"));
        const urls = await urlsOf(cluster, "server");
        await asks(cluster, OUTSIDER, urls, (lines) => lines.every(isClosed));
        await probedByNode(cluster);
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
    await t.step("a killed node proxy comes back, and the other node does not see it", async () => {
      await kubectl(cluster, ["delete", "-n", SHOP, "deploy", "load", "near-load"]);
      await apply(cluster, nearLoad());
      await podsReady(cluster, "app=near-load", { namespace: SHOP });
      await untilAnnounced(cluster, "enabled");
      await killProcesses(cluster, CLIENTS_NODE, "app=ztunnel");
      await requireNoFailure(cluster, "the end of the other node's proxy", [NEAR_LOAD]);
      await untilAnnounced(cluster, "enabled");
      await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
    });
    // Rules that follow refuse clients.
    await kubectl(cluster, ["delete", "-n", SHOP, "deploy", "near-load"]);
    const changed = await flushRules(cluster, "late");
    await t.step("a sidecar and a pod in ambient mode on different nodes", async () => {
      await sidecarAndAmbient(cluster);
    });
    await t.step("a waypoint on one node serves clients on both", async () => {
      await waypointForBoth(cluster);
    });
    await t.step("pods that are deleted by force while they enter leave nothing", async () => {
      await deletedWhileEntering(cluster);
    });
    await t.step("rules that were changed by hand are repaired", () => changed.repaired());
    await apply(cluster, ...clients());
    await untilReady(cluster);
    await t.step("a killed node agent takes nothing with it", async () => {
      await killProcesses(cluster, SERVERS_NODE, "k8s-app=mesh-cni-node");
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
        return await rulesOfPods(cluster) === "" && await rulesOfNodes(cluster) === "";
      });
    });
  },
  { nodes: 2, versions: "46", lacking: LACKING },
);
