/**
 * Ambient mode on a node whose pods and Services have IPv6 alone: running pods enter, names, policies, probes, a pod that starts,
 * a waypoint, and the way out.
 *
 * @module
 */
import assert from "node:assert/strict";
import { IMPORTED, meshctl } from "../../scripts/cluster/mesh/install.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";
import {
  apply,
  deployment,
  kubectl,
  nodeTest,
  podsReady,
  serviceOf,
  workloadContainer,
} from "../support/node.ts";
import {
  asks,
  inPod,
  isClosed,
  isOk,
  OUTSIDER,
  peers,
  type PodPlace,
} from "../support/node_mesh.ts";
import {
  explained,
  importImages,
  lackingNodeProxy,
  makeShop,
  rulesOfNodes,
  rulesOfPods,
  SHOP,
  untilAnnounced,
} from "./ambient/ambient.ts";

const CLIENT: PodPlace = { pod: "deploy/client", namespace: SHOP };
const MODE = "mesh.io/dataplane-mode";

/** A server with a probe, and its Service. */
function server(name: string): unknown[] {
  const readinessProbe = {
    ...{ httpGet: { path: "/", port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 },
  };
  const ports = [{ containerPort: 8080 }];
  const container = workloadContainer(["serve", "8080"], { ports, readinessProbe });
  return [
    deployment(name, container, { namespace: SHOP }),
    serviceOf(name, [{ name: "http", port: 80, targetPort: 8080 }], { namespace: SHOP }),
  ];
}

nodeTest(
  "ambient mode with IPv6 alone: pods enter, are known by identity, and leave",
  async (cluster) => {
    await Promise.all([importImages(cluster), applyGatewayApi(cluster)]);
    await makeShop(cluster);
    const waiting = workloadContainer(["sleep", "1h"]);
    await apply(
      cluster,
      ...server("server"),
      deployment("client", waiting, { namespace: SHOP }),
      deployment("outsider", waiting),
    );
    const installed = await meshctl(cluster, [
      ...["install", "-y", "--set=profile=ambient", ...IMPORTED],
      "--set=values.pilot.autoscaleEnabled=false",
    ]);
    assert.equal(installed.status, 0, installed.out + installed.err);
    await podsReady(cluster, "app=server", { namespace: SHOP });
    await kubectl(cluster, ["label", "namespace", SHOP, `${MODE}=ambient`]);
    await untilAnnounced(cluster, "enabled");
    assert.match(await rulesOfNodes(cluster), /-j SNAT --to-source fd16:9254:7127:1337/);
    await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
    assert.match(await inPod(cluster, CLIENT, "resolve", `server.${SHOP}`), /^fd00:10:96::\S+$/);

    await apply(cluster, peers(SHOP, "STRICT"));
    await asks(cluster, OUTSIDER, [`http://server.${SHOP}/`], (lines) => lines.every(isClosed));
    // The network plugin takes it in as it starts, and it is ready by its probe alone.
    await apply(cluster, ...server("late"));
    await podsReady(cluster, "app=late", { namespace: SHOP });
    await asks(
      cluster,
      CLIENT,
      ["http://server/", "http://late/"],
      (lines) => lines.every(isOk),
    );
    const applied = await meshctl(cluster, [
      ...["waypoint", "apply", `-n=${SHOP}`, "--enroll-namespace", "--wait"],
    ]);
    assert.equal(applied.status, 0, applied.out + applied.err);
    await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
    const { out, err } = await explained(cluster, CLIENT, `server.${SHOP}/`);
    assert.match(
      out,
      /node proxy of client-[^]*through the waypoint[^]*node proxy of server-/,
      err,
    );

    await kubectl(cluster, ["label", "namespace", SHOP, `${MODE}-`]);
    await untilAnnounced(cluster, "");
    assert.equal(await rulesOfPods(cluster), "");
  },
  { versions: "6", lacking: lackingNodeProxy() ?? lackingGatewayApiDefinitions() },
);
