/**
 * Parts of the mesh that restart or are away while requests go on: none of these fails. All cases share
 * one mesh on two nodes.
 *
 * @module
 */
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import {
  type Load,
  loadDeployment,
  loadsRun,
  withoutFailure as whileLoaded,
} from "../support/load.ts";
import {
  apply,
  deployment,
  kubectl,
  podsEventually,
  podsReady,
  service,
  workloadContainer,
} from "../support/node.ts";
import {
  asks,
  CLIENT,
  injectedNamespace,
  isOk,
  manifest,
  type MeshCase,
  meshTest,
  read,
  SYSTEM,
} from "../support/node_mesh.ts";

const NAMESPACE = "rolling";

/** Clients that request all the time: from a proxy to the server, and through the gateway. */
const LOADS: readonly Load[] = [
  { name: "inner", namespace: NAMESPACE, url: "http://server.rolling/" },
  { name: "outer", namespace: "default", url: "http://edge.rolling/" },
];

/** A gateway by the template of injection, and what it serves. */
const EDGE: readonly unknown[] = [
  deployment("edge", { name: "mesh-proxy", image: "auto", imagePullPolicy: "IfNotPresent" }, {
    namespace: NAMESPACE,
    replicas: 2,
    annotations: { "inject.mesh.io/templates": "gateway" },
    // Long enough for the proxy to drain.
    pod: { terminationGracePeriodSeconds: 30 },
  }),
  service("edge", 80, 8080, NAMESPACE),
  {
    apiVersion: "networking.mesh.io/v1",
    kind: "Gateway",
    metadata: { name: "edge", namespace: NAMESPACE },
    spec: {
      selector: { app: "edge" },
      servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    },
  },
  {
    apiVersion: "networking.mesh.io/v1",
    kind: "VirtualService",
    metadata: { name: "edge", namespace: NAMESPACE },
    spec: {
      hosts: ["*"],
      gateways: ["edge"],
      http: [{ route: [{ destination: { host: "server" } }] }],
    },
  },
];

/** Does something and asserts that no request fails. */
const withoutFailure = (cluster: NodeCluster, act: () => Promise<unknown>): Promise<unknown> =>
  whileLoaded(cluster, LOADS, act);

/** Starts the workloads, the gateway and the load; the cases below use them. */
async function prepare(cluster: NodeCluster): Promise<void> {
  await injectedNamespace(cluster, NAMESPACE);
  const server = workloadContainer(["serve", "8080"], {
    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
    // It closes kept connections at SIGTERM, and with them a request that arrives at that moment:
    // by then its clients must know of its end.
    lifecycle: { preStop: { sleep: { seconds: 10 } } },
  });
  await apply(
    cluster,
    deployment("server", server, {
      namespace: NAMESPACE,
      replicas: 2,
      pod: { terminationGracePeriodSeconds: 30 },
    }),
    service("server", 80, 8080, NAMESPACE),
    ...EDGE,
    ...LOADS.map(loadDeployment),
  );
  for (const app of ["server", "edge"]) {
    await podsReady(cluster, `app=${app}`, { namespace: NAMESPACE, count: 2 });
  }
  await loadsRun(cluster, LOADS);
}

async function rollOut(cluster: NodeCluster, namespace: string, name: string): Promise<void> {
  const target = ["-n", namespace, `deploy/${name}`];
  await kubectl(cluster, ["rollout", "restart", ...target]);
  await kubectl(cluster, ["rollout", "status", ...target, "--timeout=240s"]);
  // The old pods are gone, so that their end was under load, too.
  await podsEventually(`the former pods of ${name} to be gone`, async () => {
    const path = "{.items[*].metadata.deletionTimestamp}";
    return (await read(cluster, namespace, `pods -l=app=${name}`, path)) === "";
  });
}

const restart = (what: string, namespace: string, name: string): MeshCase => ({
  name: `a rolling restart of ${what}`,
  run: async (cluster) => {
    await withoutFailure(cluster, () => rollOut(cluster, namespace, name));
  },
});

/** Edits what the client gets from its server, and waits until it gets it. */
async function editArrives(cluster: NodeCluster, path: string): Promise<void> {
  const edit = {
    apiVersion: "networking.mesh.io/v1",
    kind: "VirtualService",
    metadata: { name: "edited", namespace: "shop" },
    spec: {
      hosts: ["server"],
      http: [
        { match: [{ uri: { exact: path } }], directResponse: { status: 418 } },
        { route: [{ destination: { host: "server" } }] },
      ],
    },
  };
  // An API server that has just started does not know custom resources for a while.
  await podsEventually("the edit to be accepted", () => apply(cluster, edit));
  const urls = [`http://server${path}`, "http://server/"];
  await asks(cluster, CLIENT, urls, ([edited = "", other = ""]) => {
    return edited.startsWith("418") && isOk(other);
  });
}

const replicas: MeshCase = {
  name: "two replicas of the daemon, one of them killed",
  async run(cluster) {
    await kubectl(cluster, ["scale", "-n", SYSTEM, "deploy/meshd", "--replicas=2"]);
    await podsReady(cluster, "app=meshd", { namespace: SYSTEM, count: 2 });
    const path = "{.items[0].metadata.name}";
    const killed = await read(cluster, SYSTEM, "pods -l=app=meshd", path);
    await withoutFailure(cluster, async () => {
      const force = ["--force", "--grace-period=0"];
      await kubectl(cluster, ["delete", "-n", SYSTEM, "pod", killed, ...force]);
      await editArrives(cluster, "/after-kill");
    });
    await podsReady(cluster, "app=meshd", { namespace: SYSTEM, count: 2 });
  },
};

const serverAway: MeshCase = {
  name: "the API server is away, and comes back",
  async run(cluster) {
    const { space } = cluster;
    await kubectl(cluster, ["scale", "-n", SYSTEM, "deploy/meshd", "--replicas=1"]);
    await podsReady(cluster, "app=meshd", { namespace: SYSTEM });
    const daemon = await read(cluster, SYSTEM, "pods -l=app=meshd", "{.items[0].metadata.name}");
    const outages = await outagesOf(cluster, daemon);
    await withoutFailure(cluster, async () => {
      // At SIGTERM it waits a minute for its watches.
      await space.stop("apiserver", "SIGKILL");
      await podsEventually("the daemon to notice", async () => {
        return (await outagesOf(cluster, daemon)) > outages;
      });
      await space.relaunch("apiserver");
      await podsEventually(
        "the API server",
        async () => (await cluster.run(["get", "ns"])).success,
      );
      await editArrives(cluster, "/after-outage");
    });
    // New pods are injected, and have their configuration.
    await kubectl(cluster, ["rollout", "restart", "-n", "shop", "deploy/client"]);
    await kubectl(cluster, ["rollout", "status", "-n", "shop", "deploy/client", "--timeout=240s"]);
    await asks(cluster, CLIENT, ["http://server/"], (lines) => lines.every(isOk));
  },
};

/** Number of times that a daemon lost the API server, by its log on the nodes. */
async function outagesOf(cluster: NodeCluster, daemon: string): Promise<number> {
  const { dir, nodes, space } = cluster;
  const folders = nodes.map((node) => `${dir}/${node}/pods/${SYSTEM}_${daemon}_*`);
  const cat = `find ${folders.join(" ")} -name '*.log' -exec cat {} +`;
  const { stdout } = await space.run(["sh", "-c", cat]);
  return stdout.split("the orchestrator cannot be followed").length - 1;
}

const CASES: readonly MeshCase[] = [
  restart("servers that end after their clients know", NAMESPACE, "server"),
  restart("the gateway", NAMESPACE, "edge"),
  restart("the daemon", SYSTEM, "meshd"),
  replicas,
  serverAway,
];

meshTest(
  "parts of the mesh restart or are away under load",
  async (cluster, t) => {
    await kubectl(cluster, ["apply", "-f", "-"], await manifest("shop"));
    for (const app of ["server", "client"]) {
      await podsReady(cluster, `app=${app}`, { namespace: "shop" });
    }
    await prepare(cluster);
    for (const { name, run } of CASES) await t.step(name, () => run(cluster));
  },
  { nodes: 2 },
);
