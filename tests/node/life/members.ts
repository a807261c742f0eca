/**
 * Choice of the pods of a Service that get requests: ready ones, of the near zone first.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
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
  CLIENT,
  injectedNamespace,
  inPod,
  isOk,
  type MeshCase,
  read,
} from "../../support/node_mesh.ts";

const PORTS = [{ name: "http", port: 80, targetPort: 8080 }];
const GATE = "test.mesh.io/open";

/** A pod that is ready once its gate is open. */
function member(namespace: string, name: string, command: "serve" | "stay"): unknown {
  const readinessProbe = { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: "member" } },
    spec: {
      terminationGracePeriodSeconds: 60,
      readinessGates: [{ conditionType: GATE }],
      containers: [workloadContainer([command, "8080"], { readinessProbe })],
    },
  };
}

/** The pods that answer 30 requests; absent if one fails. */
function answersOf(lines: readonly string[]): string | undefined {
  if (!lines.every(isOk)) return undefined;
  return [...new Set(lines.map((line) => line.slice("200 ".length)))].sort().join(" ");
}

async function answeredBy(cluster: NodeCluster, host: string, pods: string): Promise<void> {
  await asks(
    cluster,
    CLIENT,
    ["-n", "30", `http://${host}/`],
    (lines) => answersOf(lines) === pods,
  );
}

const churn: MeshCase = {
  name: "pods that are not ready, that terminate and that are deleted by force get no requests",
  async run(cluster) {
    const namespace = "churn";
    await injectedNamespace(cluster, namespace);
    await apply(
      cluster,
      serviceOf("member", PORTS, { namespace }),
      member(namespace, "a", "serve"),
      member(namespace, "b", "stay"),
      member(namespace, "c", "serve"),
    );
    const open = async (name: string, isOpen: boolean): Promise<void> => {
      const status = { conditions: [{ type: GATE, status: isOpen ? "True" : "False" }] };
      const patch = ["patch", "-n", namespace, "pod", name, "--subresource=status"];
      await kubectl(cluster, [...patch, `--patch=${JSON.stringify({ status })}`]);
    };
    const remove = (name: string, ...flags: string[]) =>
      kubectl(cluster, ["delete", "-n", namespace, "pod", name, "--wait=false", ...flags]);
    const host = "member.churn";
    const ready = "{.items[*].status.containerStatuses[*].ready}";
    await podsEventually("all containers to be ready", async () => {
      return !/false|^$/.test(await read(cluster, namespace, "pods", ready));
    });
    await open("a", true);
    await answeredBy(cluster, host, "a");
    for (const name of ["b", "c"]) await open(name, true);
    await answeredBy(cluster, host, "a b c");
    await open("c", false);
    await answeredBy(cluster, host, "a b");
    await open("c", true);
    await answeredBy(cluster, host, "a b c");

    await remove("b");
    await answeredBy(cluster, host, "a c");
    // It still runs: its application does not end by the signal.
    assert.notEqual(await read(cluster, namespace, "pod b", "{.metadata.deletionTimestamp}"), "");
    await remove("b", "--force", "--grace-period=0");

    await remove("c", "--force", "--grace-period=0");
    await answeredBy(cluster, host, "a");

    const last = inPod(cluster, CLIENT, "get", `http://${host}/end`);
    await podsEventually("the request to arrive", async () => {
      return (await kubectl(cluster, ["logs", "-n", namespace, "a", "-c", "app"])).includes(
        "waits",
      );
    });
    await remove("a");
    assert.equal(await last, "200 a", "a request that was begun ends");
  },
};

const zones: MeshCase = {
  name: "failover by zone: the near node first, the other one when it has no pod",
  async run(cluster) {
    const namespace = "zones";
    await injectedNamespace(cluster, namespace);
    const here = await read(cluster, "shop", "pods -l=app=client", "{.items[0].spec.nodeName}");
    const there = cluster.nodes.find((name) => name !== here)!;
    const container = workloadContainer(["serve", "8080"]);
    const labels = { group: "zonal" };
    await apply(
      cluster,
      serviceOf("zonal", PORTS, { namespace, spec: { selector: labels } }),
      {
        apiVersion: "networking.mesh.io/v1",
        kind: "DestinationRule",
        metadata: { name: "zonal", namespace },
        spec: { host: "zonal", trafficPolicy: { outlierDetection: { consecutive5xxErrors: 5 } } },
      },
      ...Object.entries({ near: here, far: there }).map(([name, nodeName]) =>
        deployment(name, container, { namespace, labels, pod: { nodeName } })
      ),
    );
    for (const name of ["near", "far"]) await podsReady(cluster, `app=${name}`, { namespace });
    const from = (name: string) => (lines: readonly string[]) =>
      lines.length === 20 && lines.every((line) => line.startsWith(`200 ${name}-`));
    const get = ["-n", "20", "http://zonal.zones/"];
    await asks(cluster, CLIENT, get, from("near"));
    await kubectl(cluster, ["scale", "-n", namespace, "deploy/near", "--replicas=0"]);
    await asks(cluster, CLIENT, get, from("far"));
  },
};

/** The cases. */
export const MEMBERS: readonly MeshCase[] = [churn, zones];
