/**
 * Probes of injected pods, which the kubelet sends to the agent; and pods that are injected twice.
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
  workloadContainer,
} from "../../support/node.ts";
import {
  injectedNamespace,
  inPod,
  isOk,
  type MeshCase,
  peers,
  read,
} from "../../support/node_mesh.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Probed {
  readonly args: readonly string[];
  /** The probe, of a port where the program answers. */
  readonly probe: Fields;
  /** The same kind of probe, which fails. */
  readonly failing: Fields;
}

const PROBED: Readonly<Record<string, Probed>> = {
  http: {
    args: ["serve", "8080"],
    probe: { httpGet: { path: "/", port: "web" } },
    failing: { httpGet: { path: "/", port: 8090 } },
  },
  tcp: {
    args: ["echo", "9000"],
    probe: { tcpSocket: { port: 9000 } },
    failing: { tcpSocket: { port: 9090 } },
  },
  grpc: {
    args: ["health", "9001"],
    probe: { grpc: { port: 9001 } },
    failing: { grpc: { port: 9091 } },
  },
  exec: {
    args: ["sleep", "1h"],
    probe: { exec: { command: ["/workload", "print", "alive"] } },
    failing: { exec: { command: ["/workload", "fail", "it"] } },
  },
};

const KINDS = Object.keys(PROBED);

/** A container for each kind of probe. */
function containers(which: "probe" | "failing"): Fields[] {
  return KINDS.map((name) => {
    const { args, [which]: probe } = PROBED[name]!;
    const readinessProbe = { ...probe, periodSeconds: 1 };
    const ports = name === "http" ? [{ name: "web", containerPort: 8080 }] : [];
    // The agent answers some time after the application has started.
    const startupProbe = { ...readinessProbe, failureThreshold: 240 };
    const others = which === "probe" ? { livenessProbe: probe, startupProbe } : {};
    return workloadContainer(args, { name, ports, readinessProbe, ...others });
  });
}

const probes: MeshCase = {
  name: "probes of HTTP, TCP, gRPC and exec under STRICT, such as hold and such as fail",
  async run(cluster) {
    const namespace = "probes";
    await injectedNamespace(cluster, namespace);
    await apply(
      cluster,
      peers(namespace, "STRICT"),
      deployment("probed", containers("probe"), { namespace }),
      deployment("failing", containers("failing"), { namespace }),
    );
    await podsReady(cluster, "app=probed", { namespace });
    const spec = "{range .items[0].spec.containers[*]}{.name} {.readinessProbe.httpGet.path} " +
      "{.livenessProbe.httpGet.port}\n{end}";
    const rewritten = (await read(cluster, namespace, "pods -l=app=probed", spec)).split("\n");
    for (const kind of ["http", "tcp", "grpc"]) {
      const line = `${kind} /app-health/${kind}/readyz 15020`;
      assert.ok(rewritten.includes(line), rewritten.join("\n"));
    }
    assert.ok(rewritten.some((line) => line.trim() === "exec"), rewritten.join("\n"));
    await podsEventually("an event of each probe that fails", async () => {
      const path = '{range .items[?(@.reason=="Unhealthy")]}{.involvedObject.fieldPath}\n{end}';
      const places = (await read(cluster, namespace, "events", path)).split("\n");
      return KINDS.every((kind) => places.includes(`spec.containers{${kind}}`));
    });
    const states = "{range .items[0].status.containerStatuses[*]}{.name}={.ready} {end}";
    const ready = await read(cluster, namespace, "pods -l=app=failing", states);
    for (const kind of KINDS) assert.match(ready, new RegExp(`\\b${kind}=false`));
    await kubectl(cluster, ["delete", "-n", namespace, "deploy/failing", "--wait=false"]);
  },
};

const statusPort: MeshCase = {
  name: "status.sidecar.mesh.io/port: probes at another port of the agent, and with 0 at none",
  async run(cluster) {
    const namespace = "status-port";
    await injectedNamespace(cluster, namespace);
    const container = workloadContainer(["serve", "8080"], {
      readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
    });
    const ports = { moved: "15999", none: "0" };
    for (const [name, port] of Object.entries(ports)) {
      const annotations = { "status.sidecar.mesh.io/port": port };
      await apply(cluster, deployment(name, container, { namespace, annotations }));
    }
    const path = "{.items[0].spec.containers[?(@.name=='app')].readinessProbe.httpGet.port}";
    for (const [name, port] of [["moved", "15999"], ["none", "8080"]] as const) {
      await podsReady(cluster, `app=${name}`, { namespace });
      assert.equal(await read(cluster, namespace, `pods -l=app=${name}`, path), port);
    }
    const metrics = await inPod(
      cluster,
      { pod: "deploy/moved", namespace },
      ...["get", "http://127.0.0.1:15999/healthz/ready"],
    );
    assert.ok(isOk(metrics), metrics);
  },
};

/** The names of a pod's containers of the mesh, each as often as it is there. */
async function meshContainers(cluster: NodeCluster, namespace: string, pods: string) {
  const path = "{.items[*].spec['initContainers','containers'][*].name}";
  const names = await read(cluster, namespace, pods, path);
  return names.split(" ").filter((name) => name.startsWith("mesh-")).sort();
}

const again: MeshCase = {
  name: "a second injection: by a second webhook, and of a pod that is applied again",
  async run(cluster) {
    const namespace = "twice";
    await injectedNamespace(cluster, namespace);
    const own = containers("probe").filter(({ name }) => name !== "exec");
    await apply(cluster, deployment("once", own, { namespace }));
    await podsReady(cluster, "app=once", { namespace });

    const [pod] = JSON.parse(
      await kubectl(cluster, ["get", "-n", namespace, "pods", "-l=app=once", "-o=json"]),
    ).items;
    const { labels, annotations } = pod.metadata;
    const copy = { name: "copy", namespace, labels: { ...labels, app: "copy" }, annotations };
    await apply(cluster, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: copy,
      spec: { ...pod.spec, nodeName: undefined },
    });
    await apply(cluster, await secondWebhook(cluster, namespace));
    await apply(cluster, deployment("both", own, { namespace }));
    for (const app of ["copy", "both"]) {
      await podsReady(cluster, `app=${app}`, { namespace });
      const names = await meshContainers(cluster, namespace, `pods -l=app=${app}`);
      assert.deepEqual(names, ["mesh-init", "mesh-proxy"], app);
    }
    const path = "{.items[0].spec.containers[*].readinessProbe.httpGet.path}";
    const paths = await read(cluster, namespace, "pods -l=app=both", path);
    for (const kind of ["http", "tcp", "grpc"]) {
      assert.match(paths, new RegExp(`/app-health/${kind}/readyz`));
    }
  },
};

/** The daemon's webhook once more, for one namespace. */
async function secondWebhook(cluster: NodeCluster, namespace: string): Promise<unknown> {
  const get = ["get", "mutatingwebhookconfiguration", "mesh-sidecar-injector", "-o=json"];
  const { apiVersion, kind, metadata, webhooks } = JSON.parse(await kubectl(cluster, get));
  const { labels } = metadata;
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const name = "second.sidecar-injector.mesh.io";
  return {
    ...{ apiVersion, kind, metadata: { name: "second-injector", labels } },
    webhooks: [{ ...webhooks[0], name, namespaceSelector }],
  };
}

/** The cases. */
export const PROBES: readonly MeshCase[] = [probes, again, statusPort];
