/**
 * Injected pods at default settings: their memory when they are idle, and requests while the pods of
 * their server are replaced.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../scripts/harness/mod.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import {
  apply,
  deployment,
  kubectl,
  podsReady,
  service,
  workloadContainer,
} from "../support/node.ts";
import { injectedNamespace, inPod, meshTest, SYSTEM } from "../support/node_mesh.ts";
import { podMemory } from "../support/pod_memory.ts";

const NAMESPACE = "shop";
const CLIENT = { pod: "deploy/client", namespace: NAMESPACE };
/** Largest resident memory of the agent, and largest proportional memory of agent and proxy, MiB. */
const LARGEST = { agent: 85, pod: 100 };
/** Pods of the server. */
const REPLICAS = 2;
/** Requests of one run of the client. */
const REQUESTS = 200;

/** The server closes its port when it is asked to end, and has no hook that delays its end. */
const server = workloadContainer(["serve", "8080"], {
  ports: [{ containerPort: 8080 }],
  readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
});

meshTest("injected pods at default settings", async (cluster, t) => {
  await injectedNamespace(cluster, NAMESPACE);
  await apply(
    cluster,
    deployment("server", server, {
      namespace: NAMESPACE,
      replicas: REPLICAS,
      pod: { terminationGracePeriodSeconds: 30 },
    }),
    service("server", 80, 8080, NAMESPACE),
    deployment("client", workloadContainer(["sleep", "1h"]), { namespace: NAMESPACE }),
  );
  await podsReady(cluster, "app=server", { namespace: NAMESPACE, count: REPLICAS });
  await podsReady(cluster, "app=client", { namespace: NAMESPACE });

  await t.step("the daemon knows that it has a registry of services", async () => {
    const log = await kubectl(cluster, ["logs", "-n", SYSTEM, "deploy/meshd"]);
    assert.doesNotMatch(log, /no service registry/);
  });
  await t.step("requests go on while the pods of the server are replaced", async () => {
    await eventually(
      "an answer",
      async () => /^200 /.test(await inPod(cluster, CLIENT, "get", "http://server/")),
    );
    const { failed, count } = await whileReplaced(cluster);
    assert.ok(count > 0);
    // A server without a hook closes kept connections at once. A request that is on its way on one of
    // them has reached the server for all that Envoy knows, and is not sent again.
    assert.ok(failed.length <= REPLICAS, `${failed} of ${count} requests`);
    for (const line of failed) assert.match(line, /^503 /);
  });
  await t.step("the memory of an idle pod, and what its container asks for", async () => {
    const path = "{.items[0].metadata.name}";
    const get = ["get", "pods", "-n", NAMESPACE, "-l=app=client", `-o=jsonpath=${path}`];
    const pod = await kubectl(cluster, get);
    // Memory of the start is returned in the seconds after it.
    const { agent, proxy } = await eventually(`${JSON.stringify(LARGEST)} at most`, async () => {
      const memory = await podMemory(pod);
      const whole = memory.agent.proportional + memory.proxy.proportional;
      return memory.agent.resident < LARGEST.agent && whole < LARGEST.pod && memory;
    }).catch(async (cause) => {
      throw new Error(JSON.stringify(await podMemory(pod)), { cause });
    });
    const requested = '{.spec.containers[?(@.name=="mesh-proxy")].resources.requests.memory}';
    const asked = await kubectl(cluster, [
      ...["get", "pod", "-n", NAMESPACE, pod, `-o=jsonpath=${requested}`],
    ]);
    assert.match(asked, /^\d+Mi$/);
    assert.ok(agent.proportional + proxy.proportional < parseInt(asked), asked);
  });
});

/** Sends requests until all pods of the server are replaced; returns what else than 200 came. */
async function whileReplaced(
  cluster: NodeCluster,
): Promise<{ readonly failed: readonly string[]; readonly count: number }> {
  let isReplaced = false;
  const failed: string[] = [];
  let count = 0;
  await kubectl(cluster, ["rollout", "restart", "-n", NAMESPACE, "deploy/server"]);
  const status = ["rollout", "status", "-n", NAMESPACE, "deploy/server", "--timeout=120s"];
  const replaced = kubectl(cluster, status).then(async () => {
    // The last pods of the former set end after the new ones are ready.
    await podsReady(cluster, "app=server", { namespace: NAMESPACE, count: REPLICAS });
  }).finally(() => isReplaced = true);
  while (!isReplaced) {
    const get = ["get", "-n", `${REQUESTS}`, "http://server/"];
    const lines = (await inPod(cluster, CLIENT, ...get)).split("\n");
    count += lines.length;
    failed.push(...lines.filter((line) => !line.startsWith("200 ")));
  }
  await replaced;
  return { failed, count };
}
