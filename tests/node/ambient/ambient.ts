/**
 * Ambient mode on a test's nodes: its installation, its pods, what they ask.
 *
 * @module
 */
import assert from "node:assert/strict";
import { IMPORTED, importMeshImages, meshctl } from "../../../scripts/cluster/mesh/install.ts";
import { nodeProxyArchive } from "../../../scripts/cluster/mesh/node_proxy_image.ts";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { nodeProxyPath, packedNodeProxy } from "../../../scripts/harness/mod.ts";
import { join } from "../../../scripts/paths.ts";
import { listAll, type ListItem, types } from "../../../lib/kit/orch/mod.ts";
import {
  apply,
  clientOf,
  deployment,
  kubectl,
  podsEventually,
  podsReady,
  serviceOf,
  temporaryFolder,
  workloadContainer,
} from "../../support/node.ts";
import { type PodPlace, read } from "../../support/node_mesh.ts";

/** Name of the node whose pods ask, besides those of `near`. */
export const CLIENTS_NODE = "node-1";
/** Name of the node whose pods are asked. */
export const SERVERS_NODE = "node-2";
/** The namespace that gets the label. */
export const SHOP = "shop";

/** The reason why a node proxy cannot be had here. */
export function lackingNodeProxy(): string | undefined {
  return packedNodeProxy() === undefined ? "needs MESH_NODE_PROXY" : undefined;
}

/** Imports the images of the mesh with that of the node proxy. */
export async function importImages(cluster: NodeCluster): Promise<void> {
  await importMeshImages(cluster, () => {}, ["pilot-discovery", "pilot-agent", "install-cni"]);
  await using folder = await temporaryFolder();
  const program = await nodeProxyPath(packedNodeProxy()!);
  await cluster.importImages(await nodeProxyArchive(program, folder.path));
}

/** Installs the profile; returns the output. */
export async function installAmbient(cluster: NodeCluster): Promise<string> {
  const { status, out, err } = await meshctl(cluster, [
    ...["install", "-y", "--set=profile=ambient", ...IMPORTED],
    "--set=values.pilot.autoscaleEnabled=false",
    "--set=values.pilot.env.MESH_DUAL_STACK=true",
  ]);
  assert.equal(status, 0, out + err);
  return out;
}

/** A server that is ready when it serves, with its Service. */
export function server(name: string): unknown[] {
  const container = workloadContainer(["serve", "8080"], {
    ports: [{ containerPort: 8080 }],
    // Late answers of a busy machine are no end of a server.
    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 },
  });
  const ports = [{ name: "http", port: 80, targetPort: 8080 }];
  return [
    deployment(name, container, { namespace: SHOP, pod: { nodeName: SERVERS_NODE } }),
    serviceOf(name, ports, { namespace: SHOP, spec: { ipFamilyPolicy: "RequireDualStack" } }),
  ];
}

/** A client on the node of servers that asks all the time. */
export function nearLoad(): unknown {
  const load = workloadContainer(["load", "100ms", `http://server.${SHOP}/`]);
  return deployment("near-load", load, { namespace: SHOP, pod: { nodeName: SERVERS_NODE } });
}

/** Clients that ask all the time, and clients that wait for commands, on the node of clients and on that of servers. */
export function clients(): unknown[] {
  const load = workloadContainer(["load", "100ms", `http://server.${SHOP}/`]);
  const waiting = workloadContainer(["sleep", "1h"]);
  const here = { pod: { nodeName: CLIENTS_NODE } };
  const near = { namespace: SHOP, pod: { nodeName: SERVERS_NODE } };
  return [
    deployment("load", load, { namespace: SHOP, ...here }),
    deployment("load", load, here),
    nearLoad(),
    deployment("client", waiting, { namespace: SHOP, ...here }),
    deployment("near", waiting, near),
    deployment("outsider", waiting, here),
  ];
}

/** Makes the namespace. */
export async function makeShop(cluster: NodeCluster): Promise<void> {
  await apply(cluster, { apiVersion: "v1", kind: "Namespace", metadata: { name: SHOP } });
  await podsEventually(`the default account of ${SHOP}`, async () => {
    return (await cluster.run(["get", "-n", SHOP, "serviceaccount", "default"])).success;
  });
}

/** Waits until every pod of the namespace has a value of the annotation; empty: none has it. */
export async function untilAnnounced(cluster: NodeCluster, value: string): Promise<void> {
  using client = await clientOf(cluster);
  let seen: unknown;
  try {
    await podsEventually(`pods that are announced as ${JSON.stringify(value)}`, async () => {
      const pods = await listAll<ListItem>(client, types.POD, { namespace: SHOP });
      const values = pods.map(({ metadata }) =>
        metadata.annotations?.["ambient.mesh.io/redirection"] ?? ""
      );
      seen = values;
      return values.length > 0 && values.every((one) => one === value);
    });
  } catch (cause) {
    throw new Error(`${JSON.stringify(seen)}\n${await logs(cluster)}`, { cause });
  }
}

/** The ends of the logs of the agent and of the node proxy. */
export async function logs(cluster: NodeCluster): Promise<string> {
  const ends = ["daemonset/mesh-cni-node", "daemonset/ztunnel", "deployment/meshd"].map(
    async (one) => {
      const { stdout } = await cluster.run(["logs", "-n=mesh-system", one, "--tail=15"]);
      return `${one}\n${stdout}`;
    },
  );
  return (await Promise.all(ends)).join("\n");
}

/** The requests that a client has counted. */
interface Count {
  readonly asked: number;
  readonly failures: readonly string[];
}

/** Clients that ask all the time. */
export const LOADS: readonly PodPlace[] = [
  { pod: "deploy/load", namespace: SHOP },
  { pod: "deploy/near-load", namespace: SHOP },
  { pod: "deploy/load", namespace: "default" },
];

/** The requests of a client that asks all the time, and the failed ones. */
async function countOf(cluster: NodeCluster, { pod, namespace }: PodPlace): Promise<Count> {
  const lines = (await kubectl(cluster, ["logs", "-n", namespace, pod])).split("\n");
  const last = lines.findLast((line) => / requests, /.test(line)) ?? "0 requests, 0 failed";
  return {
    asked: Number(last.split(" ")[0]),
    failures: lines.filter((line) => line.startsWith("failure")),
  };
}

/** Waits for more requests, and asserts that none failed. */
export async function requireNoFailure(
  cluster: NodeCluster,
  what: string,
  loads: readonly PodPlace[] = LOADS,
): Promise<void> {
  for (const load of loads) {
    const before = await countOf(cluster, load);
    const after = await podsEventually(`requests after ${what}`, async () => {
      const now = await countOf(cluster, load);
      return now.asked >= before.asked + 20 && now;
    });
    assert.deepEqual(after.failures, [], `${what}: ${load.pod} in ${load.namespace}`);
  }
}

/** Waits until all clients and servers are ready. */
export async function untilReady(cluster: NodeCluster): Promise<void> {
  for (const name of ["server", "load", "near-load", "client", "near"]) {
    await podsReady(cluster, `app=${name}`, { namespace: SHOP });
  }
  for (const name of ["load", "outsider"]) await podsReady(cluster, `app=${name}`);
}

/** The explanation of a request from a pod, by the daemon of the cluster. */
export async function explained(
  cluster: NodeCluster,
  { pod, namespace }: PodPlace,
  to: string,
): Promise<Awaited<ReturnType<typeof meshctl>>> {
  const app = pod.slice(pod.indexOf("/") + 1);
  const name = await read(cluster, namespace, `pods -l=app=${app}`, "{.items[0].metadata.name}");
  return await meshctl(cluster, [
    "explain",
    "request",
    `--from=${name}.${namespace}`,
    `--to=${to}`,
  ]);
}

/** Starts a workload of the mesh again, and waits until it is there. */
export async function restart(cluster: NodeCluster, workload: string): Promise<void> {
  await kubectl(cluster, ["rollout", "restart", "-n=mesh-system", workload]);
  await kubectl(cluster, ["rollout", "status", "-n=mesh-system", workload, "--timeout=180s"]);
}

/** The version of TLS in packets of tunnels between the nodes, by a version of IP. */
export async function tunnelVersion(cluster: NodeCluster, ip: 4 | 6): Promise<string> {
  const script = join(import.meta.dirname!, "tunnel_packets.py");
  const args = ["eth0", `${ip}`, "60"];
  const { stdout, stderr } = await cluster.onNode(SERVERS_NODE, ["python3", script, ...args]);
  return (stdout || stderr).trim();
}

/** The rules of Mesh in the networks of the nodes. */
export function rulesOfNodes(cluster: NodeCluster): Promise<string> {
  return rulesBy(cluster, "iptables-save -t nat; ip6tables-save -t nat");
}

/** The rules of Mesh in all network namespaces of pods. */
export function rulesOfPods(cluster: NodeCluster): Promise<string> {
  const each = "nsenter --net=$one sh -c 'iptables-save; ip6tables-save'";
  return rulesBy(cluster, `for one in /var/run/netns/cni-*; do ${each}; done`);
}

async function rulesBy(cluster: NodeCluster, script: string): Promise<string> {
  const found = await Promise.all(cluster.nodes.map(async (node) => {
    const { stdout } = await cluster.onNode(node, ["sh", "-c", script]);
    return stdout.split("\n").filter((line) => line.includes("MESH_"));
  }));
  return found.flat().join("\n");
}
