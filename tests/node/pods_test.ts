/**
 * The services of a node for pods, without the mesh: if this fails, nothing else of this tier can hold.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { call, eventually, freePort, startCommand } from "../../scripts/harness/mod.ts";
import {
  apply,
  deployment,
  kubectl,
  nodeTest,
  podsReady,
  service,
  workloadContainer,
} from "../support/node.ts";

const PORT = 8080;

const server = workloadContainer(["serve", `${PORT}`], {
  ports: [{ containerPort: PORT }],
  readinessProbe: { httpGet: { path: "/", port: PORT }, periodSeconds: 1 },
  livenessProbe: { exec: { command: ["/workload", "print", "alive"] }, periodSeconds: 1 },
});

const client = workloadContainer(["sleep", "1h"]);

const inClient = (cluster: NodeCluster, ...command: string[]): Promise<string> =>
  kubectl(cluster, ["exec", "deploy/client", "--", "/workload", ...command]);

nodeTest(
  "pods run, are probed, and are reached by logs, exec, port-forward, Services and names",
  async (cluster, t) => {
    await apply(
      cluster,
      deployment("server", server, { replicas: 2 }),
      service("server", 80, PORT),
      deployment("client", client),
    );
    await podsReady(cluster, "app=server", { count: 2 });
    await podsReady(cluster, "app=client");
    const names = (await kubectl(cluster, ["get", "pods", "-l=app=server", "-o=name"]))
      .split("\n").map((name) => name.replace("pod/", "")).sort();

    await t.step("logs", async () => {
      const lines = await kubectl(cluster, ["logs", "-l=app=server"]);
      for (const name of names) assert.match(lines, new RegExp(`${name} serves port ${PORT}`));
    });
    await t.step("exec, with the status of the command", async () => {
      assert.equal(await inClient(cluster, "print", "hello"), "hello");
      const failing = ["exec", "deploy/client", "--", "/workload", "get", "http://127.0.0.1:1/"];
      assert.equal((await cluster.run(failing)).success, false);
    });
    await t.step("a Service by its name, at all of its pods", async () => {
      // The node has the addresses of a Service a moment after its pods are ready.
      const seen = await eventually("answers of all pods", async () => {
        const answers = await inClient(cluster, "get", "-n", "40", "http://server/");
        const pods = new Set(answers.split("\n").map((line) => line.replace("200 ", "")));
        return pods.size >= names.length && [...pods].sort();
      });
      assert.deepEqual(seen, names);
    });
    await t.step("names: those of the cluster and no other", async () => {
      const address = await kubectl(cluster, [
        "get",
        "service/server",
        "-o=jsonpath={.spec.clusterIP}",
      ]);
      assert.equal(await inClient(cluster, "resolve", "server.default.svc.cluster.local"), address);
      const other = ["exec", "deploy/client", "--", "/workload", "resolve", "nowhere.example"];
      assert.match((await cluster.run(other)).stderr, /no such host/);
    });
    await t.step("port-forward", async () => {
      const port = freePort();
      const target = ["port-forward", "service/server", `${port}:80`];
      await using _ = startCommand(cluster.kubectl, [
        `--kubeconfig=${cluster.kubeconfig}`,
        ...target,
      ]);
      const answer = await eventually(
        "an answer through the port",
        () => call(`http://127.0.0.1:${port}/`),
      );
      assert.equal(answer.status, 200);
      assert.ok(names.includes(answer.body.trim()), answer.body);
    });
    const unready = "a pod that fails its probes is not ready, or starts again";
    await t.step(unready, () => checkProbes(cluster));
    const missing = "an image that was not imported: an event names it at once";
    await t.step(missing, () => checkMissingImages(cluster));
  },
);

async function checkProbes(cluster: NodeCluster): Promise<void> {
  const failing = { exec: { command: ["/workload", "fail", "it"] }, periodSeconds: 1 };
  const pods = [["unready", { readinessProbe: failing }], [
    "dying",
    { livenessProbe: { ...failing, failureThreshold: 1 } },
  ]] as const;
  for (const [name, probes] of pods) {
    const container = workloadContainer(["serve", `${PORT}`], probes);
    await apply(
      cluster,
      deployment(name, container, { pod: { terminationGracePeriodSeconds: 0 } }),
    );
  }
  await eventually("a restart of the pod that is not alive", async () => {
    const path = "{.items[0].status.containerStatuses[0].restartCount}";
    return Number(await kubectl(cluster, ["get", "pods", "-l=app=dying", `-o=jsonpath=${path}`])) >
      0;
  });
  const path = "{.items[0].status.containerStatuses[0].state.running.startedAt}" +
    "{.items[0].status.containerStatuses[0].ready}";
  const state = await kubectl(cluster, ["get", "pods", "-l=app=unready", `-o=jsonpath=${path}`]);
  assert.match(state, /Zfalse$/);
}

async function checkMissingImages(cluster: NodeCluster): Promise<void> {
  const container = { ...workloadContainer(["sleep", "1h"]), image: "registry.example/none:1" };
  await apply(
    cluster,
    deployment("never", container),
    deployment("pulled", { ...container, imagePullPolicy: "IfNotPresent" }),
  );
  const reasons = { never: "ErrImageNeverPull", pulled: "ErrImagePull|ImagePullBackOff" };
  for (const [name, reason] of Object.entries(reasons)) {
    await eventually(`the reason of ${name}`, async () => {
      const path = "{.items[0].status.containerStatuses[0].state.waiting.reason}";
      const get = ["get", "pods", `-l=app=${name}`, `-o=jsonpath=${path}`];
      return new RegExp(reason).test(await kubectl(cluster, get));
    });
  }
  assert.match(await kubectl(cluster, ["get", "events"]), /registry\.example\/none:1/);
}

nodeTest(
  "two nodes: their pods reach each other, and the scheduler spreads them",
  async (cluster) => {
    assert.deepEqual(cluster.nodes, ["node-1", "node-2"]);
    await checkFolders(cluster);
    for (const node of cluster.nodes) {
      const pod = { nodeName: node };
      await apply(
        cluster,
        deployment(`server-${node}`, server, { pod }),
        service(`server-${node}`, 80, PORT),
      );
      await apply(cluster, deployment(`client-${node}`, client, { pod }));
    }
    await apply(cluster, deployment("spread", client, { replicas: 4 }));
    for (const node of cluster.nodes) {
      await podsReady(cluster, `app=server-${node}`);
      await podsReady(cluster, `app=client-${node}`);
    }
    for (const from of cluster.nodes) {
      for (const to of cluster.nodes) {
        const get = ["/workload", "get", `http://server-${to}/`];
        // A node has the addresses of a Service a moment after its pods are ready.
        const answer = await eventually(`the Service of ${to} on ${from}`, async () => {
          const run = await cluster.run(["exec", `deploy/client-${from}`, "--", ...get]);
          return run.success && run.stdout.trim();
        });
        assert.match(answer, new RegExp(`^200 server-${to}-`), `from ${from}`);
      }
    }
    await podsReady(cluster, "app=spread", { count: 4 });
    const path = "{.items[*].spec.nodeName}";
    const nodes = await kubectl(cluster, ["get", "pods", "-l=app=spread", `-o=jsonpath=${path}`]);
    assert.deepEqual([...new Set(nodes.split(" "))].sort(), cluster.nodes);
    const zones = await kubectl(cluster, [
      "get",
      "nodes",
      "-o=jsonpath={.items[*].metadata.labels.topology\\.kubernetes\\.io/zone}",
    ]);
    assert.equal(zones, "node-1 node-2");
  },
  { nodes: 2 },
);

/** Nodes have folders of their own, and their first process is in their network. */
async function checkFolders(cluster: NodeCluster): Promise<void> {
  const seen = new Set<string>();
  for (const node of cluster.nodes) {
    const script = "for one in /etc/cni/net.d /opt/cni/bin /run /var/lib /var/log; do " +
      "test ! -e $one/seen || echo $one; touch $one/seen; done; " +
      "cmp -s /proc/1/net/fib_trie /proc/self/net/fib_trie && readlink /proc/1/ns/net";
    const { stdout, success } = await cluster.onNode(node, ["sh", "-c", script]);
    assert.ok(success && /^net:\[\d+\]\n$/.test(stdout), `${node}: ${stdout}`);
    seen.add(stdout);
    await Deno.stat(`${cluster.dir}/${node}/plugins/seen`);
  }
  assert.equal(seen.size, cluster.nodes.length);
}
