/**
 * Pods that end, init containers, and proxies that are native sidecars.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import {
  apply,
  deployment,
  kubectl,
  podsReady,
  service,
  workloadContainer,
} from "../../support/node.ts";
import {
  asks,
  callerOf,
  CLIENT,
  injectedNamespace,
  type MeshCase,
  read,
} from "../../support/node_mesh.ts";
import { SERVERS } from "./destinations.ts";

const NATIVE = { "sidecar.mesh.io/nativeSidecar": "true" };
/** A server under STRICT: what it answers came through the proxy. */
const SERVER = "http://server.shop/headers";

/** A Job that may not fail. */
function job(
  name: string,
  namespace: string,
  annotations: Readonly<Record<string, string>>,
  spec: Readonly<Record<string, unknown>>,
): unknown {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 2, ...spec },
      },
    },
  };
}

/** Waits until a Job is complete, and returns what a container printed. */
async function completed(
  cluster: NodeCluster,
  namespace: string,
  name: string,
  containers: readonly string[],
): Promise<string[]> {
  const log = (container: string) =>
    cluster.run(["logs", "-n", namespace, `job/${name}`, "-c", container]);
  const wait = ["wait", "-n", namespace, "--for=condition=complete", "--timeout=240s"];
  const { success, stderr } = await cluster.run([...wait, `job/${name}`]);
  const logs = await Promise.all(containers.map(async (one) => (await log(one)).stdout.trim()));
  const pods = success ? "" : await kubectl(cluster, ["get", "pods", "-n", namespace, "-o=yaml"]);
  assert.ok(success, `${stderr}\n${logs.join("\n")}\n${pods}`);
  return logs;
}

const native: MeshCase = {
  name: "a Job with a native sidecar: its init container and its container use the mesh, it ends",
  async run(cluster) {
    const namespace = "native-jobs";
    await injectedNamespace(cluster, namespace);
    const get = (name: string) => workloadContainer(["get", SERVER], { name });
    await apply(
      cluster,
      job("native", namespace, NATIVE, {
        initContainers: [get("early")],
        containers: [get("app")],
      }),
    );
    const logs = await completed(cluster, namespace, "native", ["early", "app"]);
    const caller = `spiffe://cluster.local/ns/${namespace}/sa/default`;
    assert.deepEqual(logs.map(callerOf), [caller, caller]);
    const path = "{.items[0].spec.initContainers[?(@.name=='mesh-proxy')].restartPolicy}";
    assert.equal(await read(cluster, namespace, "pods", path), "Always");
  },
};

const classic: MeshCase = {
  name: "a Job that ends its agent; its init container passes the proxy as the proxy's user",
  async run(cluster) {
    const namespace = "jobs";
    await injectedNamespace(cluster, namespace);
    const init = workloadContainer(["get", "http://outsider.default/"], {
      name: "early",
      securityContext: { runAsUser: 1337 },
    });
    const quit = "http://127.0.0.1:15020/quitquitquit";
    await apply(
      cluster,
      job("classic", namespace, {}, {
        initContainers: [init],
        containers: [workloadContainer(["finish", SERVER, quit])],
      }),
    );
    const [early, app] = await completed(cluster, namespace, "classic", ["early", "app"]);
    assert.match(early!, /^200 outsider-/);
    assert.equal(callerOf(app!), `spiffe://cluster.local/ns/${namespace}/sa/default`);
  },
};

const served: MeshCase = {
  name: "a server with a native sidecar starts, is probed and is reached by mutual TLS",
  async run(cluster) {
    const namespace = "native";
    await injectedNamespace(cluster, namespace);
    await apply(
      cluster,
      deployment("server", SERVERS, { namespace, annotations: NATIVE }),
      service("server", 80, 8080, namespace),
    );
    await podsReady(cluster, "app=server", { namespace });
    await asks(cluster, CLIENT, ["http://server.native/headers"], ([line = ""]) => {
      return line.startsWith("200 ") && callerOf(line).endsWith("/ns/shop/sa/client");
    });
    await kubectl(cluster, ["delete", "-n", namespace, "pods", "--all", "--timeout=240s"]);
    await podsReady(cluster, "app=server", { namespace });
  },
};

/** The cases. */
export const JOBS: readonly MeshCase[] = [native, classic, served];
