/**
 * Ambient mode between two nodes whose pods have both versions of IP: names, probes, sidecars, waypoints.
 *
 * @module
 */
import assert from "node:assert/strict";
import { meshctl } from "../../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { nodePrograms } from "../../../scripts/cluster/node_programs.ts";
import {
  apply,
  deployment,
  kubectl,
  podsEventually,
  podsReady,
  serviceOf,
  workloadContainer,
} from "../../support/node.ts";
import {
  asks,
  injectedNamespace,
  inPod,
  isClosed,
  isOk,
  OUTSIDER,
  peers,
  type PodPlace,
  read,
} from "../../support/node_mesh.ts";
import { CLIENTS_NODE, SERVERS_NODE, SHOP } from "./ambient.ts";

const CLIENT: PodPlace = { pod: "deploy/client", namespace: SHOP };
/** A client on the node of servers. */
const NEAR: PodPlace = { pod: "deploy/near", namespace: SHOP };
const SERVER: PodPlace = { pod: "deploy/server", namespace: SHOP };
const SIDE = "side";
/** A pod with a sidecar on the node of clients, which serves and asks. */
const SIDECAR: PodPlace = { pod: "deploy/sidecar", namespace: SIDE };
/** The client on the node of servers that asks all the time. */
export const NEAR_LOAD: PodPlace = { pod: "deploy/near-load", namespace: SHOP };

const urlOf = (address: string, port: string): string =>
  `http://${address.includes(":") ? `[${address}]` : address}${port}/`;

async function addressesOf(
  cluster: NodeCluster,
  name: string,
  namespace: string,
): Promise<string[]> {
  const path = "{.spec.clusterIPs[*]}";
  return (await read(cluster, namespace, `service/${name}`, path)).split(" ");
}

/** A Service by its name and by its address of each version of IP. */
export async function urlsOf(
  cluster: NodeCluster,
  name: string,
  namespace: string = SHOP,
): Promise<string[]> {
  const addresses = await addressesOf(cluster, name, namespace);
  assert.equal(addresses.length, 2, `${name} has ${addresses.join(" ")}`);
  return [`http://${name}.${namespace}/`, ...addresses.map((address) => urlOf(address, ""))];
}

/** A pod in ambient mode gets the addresses of both versions for a name, from its node proxy. */
export async function answersNames(cluster: NodeCluster, place: PodPlace): Promise<void> {
  const told = (await inPod(cluster, place, "resolve", `server.${SHOP}`)).split("\n");
  assert.deepEqual(told.sort(), (await addressesOf(cluster, "server", SHOP)).sort());
}

/** The server's node reaches it as its probes do, by both versions. */
export async function probedByNode(cluster: NodeCluster): Promise<void> {
  const path = "{.items[0].status.podIPs[*].ip}";
  const addresses = (await read(cluster, SHOP, "pods -l=app=server", path)).split(" ");
  const { workload } = await nodePrograms();
  const urls = addresses.map((address) => urlOf(address, ":8080"));
  const { stdout } = await cluster.onNode(SERVERS_NODE, [workload, "get", ...urls]);
  assert.deepEqual(stdout.trim().split("\n").map(isOk), [true, true], stdout);
}

/** A pod with a sidecar and pods in ambient mode on another node: each reaches the other as itself, by both versions. */
export async function sidecarAndAmbient(cluster: NodeCluster): Promise<void> {
  await injectedNamespace(cluster, SIDE);
  const metadata = { MESH_DUAL_STACK: "true", MESH_META_ENABLE_HBONE: "true" };
  await apply(
    cluster,
    deployment("sidecar", workloadContainer(["serve", "8080"]), {
      namespace: SIDE,
      pod: { nodeName: CLIENTS_NODE },
      annotations: { "proxy.mesh.io/config": JSON.stringify({ proxyMetadata: metadata }) },
    }),
    serviceOf("sidecar", [{ name: "http", port: 80, targetPort: 8080 }], {
      namespace: SIDE,
      spec: { ipFamilyPolicy: "RequireDualStack" },
    }),
    peers(SIDE, "STRICT"),
    access(SHOP, "server", "ALLOW", { principal: principalIn(SIDE) }),
    access(SIDE, "sidecar", "DENY", { principal: principalIn(SHOP), path: "/denied" }),
  );
  await podsReady(cluster, "app=sidecar", { namespace: SIDE });
  const names = await read(
    cluster,
    SIDE,
    "pods -l=app=sidecar",
    "{.items[0].spec.initContainers[*].name}",
  );
  assert.match(names, /mesh-validation/, "the network plugin captures the pod");
  const sides = await urlsOf(cluster, "sidecar", SIDE);
  await asks(cluster, OUTSIDER, sides, (lines) => lines.every(isClosed));
  await asks(cluster, SERVER, sides, (lines) => lines.every(isOk));
  // The sidecar knows the other end of the tunnel.
  await asks(cluster, SERVER, sides.map((url) => `${url}denied`), (lines) => {
    return lines.every((line) => line.startsWith("403 "));
  });
  const servers = await urlsOf(cluster, "server");
  await asks(cluster, CLIENT, servers, (lines) => lines.every(isClosed));
  await asks(cluster, SIDECAR, servers, (lines) => lines.every(isOk));
  await kubectl(cluster, ["delete", "authorizationpolicy", "-n", SHOP, "server"]);
  await kubectl(cluster, ["delete", "namespace", SIDE, "--wait=false"]);
  await asks(cluster, CLIENT, servers, (lines) => lines.every(isOk));
}

const principalIn = (namespace: string): string => `cluster.local/ns/${namespace}/sa/default`;

/** A policy for the pods with the label `app` of its name. */
function access(
  namespace: string,
  name: string,
  action: "ALLOW" | "DENY",
  { principal, path }: { readonly principal: string; readonly path?: string },
): unknown {
  const from = [{ source: { principals: [principal] } }];
  const to = path === undefined ? undefined : [{ operation: { paths: [path] } }];
  return {
    apiVersion: "security.mesh.io/v1",
    kind: "AuthorizationPolicy",
    metadata: { name, namespace },
    spec: { selector: { matchLabels: { app: name } }, action, rules: [{ from, to }] },
  };
}

/** A waypoint takes requests of clients on its node and on the other one, and applies rules about them. */
export async function waypointForBoth(cluster: NodeCluster): Promise<void> {
  // It is ready before anything is bound to it.
  await waypoint(cluster, "apply", "--wait");
  await kubectl(cluster, ["label", "-n", SHOP, "service/server", "mesh.io/use-waypoint=waypoint"]);
  await apply(cluster, markingRoute(), deniesNamespace());
  for (const place of [CLIENT, NEAR]) {
    await asks(cluster, place, ["http://server/headers", "http://server/denied"], (lines) => {
      return /"X-Through":\["waypoint"\]/.test(lines[0]!) && /^403 /.test(lines[1]!);
    });
  }
  await kubectl(cluster, ["label", "-n", SHOP, "service/server", "mesh.io/use-waypoint-"]);
  await kubectl(cluster, ["delete", "-n", SHOP, "httproute/marks", "authorizationpolicy/denies"]);
  await waypoint(cluster, "delete", "waypoint");
  await podsEventually("the end of the waypoint", async () => {
    const label = "-l=gateway.networking.k8s.io/gateway-name=waypoint";
    return await kubectl(cluster, ["get", "pods", "-n", SHOP, label, "-o=name"]) === "";
  });
  for (const place of [CLIENT, NEAR]) {
    await asks(cluster, place, ["http://server/headers"], (lines) => {
      return lines.every((line) => isOk(line) && !line.includes("X-Through"));
    });
  }
}

async function waypoint(cluster: NodeCluster, ...args: readonly string[]): Promise<void> {
  const { status, out, err } = await meshctl(cluster, ["waypoint", ...args, "-n", SHOP]);
  assert.equal(status, 0, out + err);
}

/** A route of the Gateway API that writes a header into requests to the server. */
function markingRoute(): unknown {
  const set = [{ name: "X-Through", value: "waypoint" }];
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "marks", namespace: SHOP },
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: "server" }],
      rules: [{
        filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }],
        backendRefs: [{ name: "server", port: 80 }],
      }],
    },
  };
}

/** A policy at the waypoint that names the namespace of clients. */
function deniesNamespace(): unknown {
  return {
    apiVersion: "security.mesh.io/v1",
    kind: "AuthorizationPolicy",
    metadata: { name: "denies", namespace: SHOP },
    spec: {
      targetRefs: [{ group: "", kind: "Service", name: "server" }],
      action: "DENY",
      rules: [{
        from: [{ source: { namespaces: [SHOP] } }],
        to: [{ operation: { paths: ["/denied"] } }],
      }],
    },
  };
}
