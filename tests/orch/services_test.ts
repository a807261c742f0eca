/**
 * Services, EndpointSlices, pods and nodes of a real API server become services of the mesh.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  mergePatch,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../lib/orch/mod.ts";
import { type Daemon, eventually, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";

const SERVICE = { namespace: "default", name: "web" };
const HOST = "web.default.svc.cluster.local";

function make(
  client: OrchClient,
  type: ResourceType,
  metadata: Record<string, unknown> & { name: string },
  fields: Record<string, unknown>,
): Promise<OrchObject> {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  const namespace = type.namespaced ? { namespace: "default" } : {};
  const object = {
    apiVersion,
    kind: type.kind,
    metadata: { ...namespace, ...metadata },
    ...fields,
  };
  return createObject(client, type, object as OrchObject);
}

function makePod(client: OrchClient, name: string): Promise<OrchObject> {
  return make(client, types.POD, { name, labels: { app: "web" } }, {
    spec: {
      serviceAccountName: "shopper",
      nodeName: "n1",
      containers: [{ name: "c", image: "i" }],
    },
  });
}

function makeSlice(client: OrchClient, name: string, addresses: Record<string, string>) {
  return make(client, types.ENDPOINT_SLICE, {
    name,
    labels: { "kubernetes.io/service-name": "web" },
  }, {
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: Object.entries(addresses).map(([pod, address]) => ({
      addresses: [address],
      nodeName: "n1",
      targetRef: { kind: "Pod", name: pod, namespace: "default" },
    })),
  });
}

/** Addresses and labels of the host's endpoints, as the daemon shows them. */
async function shows(daemon: Daemon, ...parts: readonly string[]): Promise<void> {
  await eventually(`an endpoint with ${parts}`, async () => {
    const shards = await daemon.debug<Record<string, unknown>>("endpointShardz");
    const text = JSON.stringify(shards[HOST] ?? {});
    return parts.every((part) =>
      part.startsWith("!") ? !text.includes(part.slice(1)) : text.includes(part)
    );
  });
}

clusterTest("Services with slices, pods and nodes are services of the mesh", async (cluster, t) => {
  using client = await adminClient(cluster);
  const labels = { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": "z1" };
  await make(client, types.NODE, { name: "n1", labels }, {});
  await makePod(client, "web-1");
  await make(client, types.SERVICE, SERVICE, { spec: { ports: [{ name: "http", port: 80 }] } });
  await makeSlice(client, "web-a", { "web-1": "10.1.0.1" });
  await using daemon = await startDaemon({
    configDir: "",
    args: [`--orchconfig=${cluster.files.kubeconfig}`],
  });

  await t.step(
    "a ready daemon has them, with labels, account and locality of the pods",
    async () => {
      const services = JSON.stringify(await daemon.debug("registryz"));
      assert.ok(services.includes(HOST), services.slice(0, 500));
      await shows(daemon, "10.1.0.1", "shopper", "r1");
    },
  );

  await t.step("endpoints come and go with their slices", async () => {
    await makePod(client, "web-2");
    await makeSlice(client, "web-b", { "web-2": "10.1.0.2" });
    await shows(daemon, "10.1.0.1", "10.1.0.2");
    await deleteObject(client, types.ENDPOINT_SLICE, { namespace: "default", name: "web-a" });
    await shows(daemon, "!10.1.0.1", "10.1.0.2");
  });

  await t.step("a changed label of a pod arrives, and that of a node", async () => {
    const pod = { namespace: "default", name: "web-2" };
    await mergePatch(client, types.POD, pod, { metadata: { labels: { version: "v7" } } });
    await mergePatch(client, types.NODE, { name: "n1" }, {
      metadata: { labels: { "topology.kubernetes.io/region": "r9" } },
    });
    await shows(daemon, "v7", "r9");
  });

  await t.step("endpoints stay while the server is away", async () => {
    await cluster.apiServer.stop("SIGKILL");
    await eventually("a fault", async () => {
      const [view] = await daemon.debug<{ fault?: string }[]>("clusterz");
      return view?.fault !== undefined;
    });
    await shows(daemon, "10.1.0.2");
    cluster.apiServer.start();
    await cluster.ready();
  });

  await t.step("a deleted Service is gone", async () => {
    await deleteObject(client, types.SERVICE, SERVICE);
    await eventually("no such service", async () => {
      return !JSON.stringify(await daemon.debug("registryz")).includes(HOST);
    });
  });
});
