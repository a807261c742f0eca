/**
 * Services, EndpointSlices, pods and nodes of a real API server become services of the mesh.
 */
import assert from "node:assert/strict";
import {
  deleteObject,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../lib/kit/orch/mod.ts";
import { TABLED_KINDS } from "../../lib/mesh/schema/mod.ts";
import { resourceTypeOf } from "../../lib/mesh/sources/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { type Daemon, eventually, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { make } from "../support/cluster_objects.ts";
import { addressedPods } from "./cases/addressed_pods.ts";
import { namedGateway, networkGateways, nodeLocalServices } from "./cases/near_services.ts";
import { statusEvents } from "./cases/status_events.ts";
import { unselectedPods } from "./cases/unselected_pods.ts";

const SERVICE = { namespace: "default", name: "web" };
const HOST = "web.default.svc.cluster.local";
const ELSEWHERE = "far.elsewhere.svc.cluster.local";

function makePod(
  client: OrchClient,
  name: string,
  labels: Record<string, string> = { app: "web" },
): Promise<OrchObject> {
  return make(client, types.POD, { name, labels }, {
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

/** Addresses and labels of a host's endpoints, as the daemon shows them. */
async function shows(daemon: Daemon, ...parts: readonly string[]): Promise<void> {
  await showsOf(daemon, HOST, ...parts);
}

async function showsOf(daemon: Daemon, host: string, ...parts: readonly string[]): Promise<void> {
  await eventually(`an endpoint of ${host} with ${parts}`, async () => {
    const shards = await daemon.debug<Record<string, unknown>>("endpointShardz");
    const text = JSON.stringify(shards[host] ?? {});
    return parts.every((part) =>
      part.startsWith("!") ? !text.includes(part.slice(1)) : text.includes(part)
    );
  });
}

/** A ServiceEntry that selects a pod with an address, and a WorkloadEntry that the Service selects. */
async function selectAcrossKinds(client: OrchClient): Promise<void> {
  const labels = { app: "alone" };
  await makePod(client, "alone-1", labels);
  await mergePatch(client, types.POD, {
    namespace: "default",
    name: "alone-1",
    subresource: "status",
  }, {
    status: {
      podIP: "10.1.0.7",
      podIPs: [{ ip: "10.1.0.7" }],
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  await make(client, resourceTypeOf(TABLED_KINDS.ServiceEntry), { name: "pods" }, {
    spec: {
      hosts: ["pods.test"],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      workloadSelector: { labels },
    },
  });
  await make(client, resourceTypeOf(TABLED_KINDS.WorkloadEntry), { name: "vm" }, {
    spec: { address: "10.9.9.9", labels: { app: "web" } },
  });
}

clusterTest("Services with slices, pods and nodes are services of the mesh", async (cluster, t) => {
  using client = await adminClient(cluster);
  const labels = { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": "z1" };
  await make(client, types.NODE, { name: "n1", labels }, {});
  await makePod(client, "web-1");
  await applyDefinitions(client);
  await make(client, types.SERVICE, SERVICE, {
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80 }] },
  });
  await makeSlice(client, "web-a", { "web-1": "10.1.0.1" });
  await using daemon = await startDaemon({
    configDir: "",
    args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
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

  await t.step("heartbeats and other fields of a status change nothing", async () => {
    await statusEvents(client, daemon, { node: "n1", pod: "web-2" });
  });

  await t.step("the object is a Service in views, and its events are counted", async () => {
    const page = await fetch(`${daemon.http}/debug/objects/Service/default/web`);
    assert.equal(page.status, 200);
    await page.body?.cancel();
    const objects = JSON.stringify(await daemon.debug("configz"));
    assert.ok(objects.includes('"kind":"Service"') && !objects.includes("service:"), objects);
    const metrics = await (await fetch(`${daemon.monitoring}/metrics`)).text();
    assert.match(metrics, /pilot_k8s_reg_events\{type="Services",event="add"\} [1-9]/);
    assert.match(metrics, /pilot_k8s_reg_events\{type="EndpointSlice",event="delete"\} 1/);
    assert.match(metrics, /pilot_k8s_cfg_events\{type="Namespace",event="add"\} [1-9]/);
  });

  await t.step(
    "endpoints without a known pod, and those that are not ready, are counted",
    async () => {
      await make(client, types.ENDPOINT_SLICE, {
        name: "web-c",
        labels: { "kubernetes.io/service-name": "web" },
      }, {
        addressType: "IPv4",
        ports: [{ name: "http", port: 8080 }],
        endpoints: [{
          addresses: ["10.1.0.3"],
          conditions: { ready: false },
          targetRef: { kind: "Pod", name: "gone", namespace: "default" },
        }],
      });
      const moved = [
        "pilot_k8s_endpoints_pending_pod",
        "endpoint_no_pod",
        "pilot_k8s_endpoints_with_no_pods",
        "pilot_endpoint_not_ready",
      ];
      await eventually("counts of 1", async () => {
        const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
        return moved.every((name) => text.includes(`\n${name} 1\n`));
      });
      await deleteObject(client, types.ENDPOINT_SLICE, { namespace: "default", name: "web-c" });
    },
  );

  await t.step("ServiceEntries select pods, Services select WorkloadEntries", async () => {
    await selectAcrossKinds(client);
    await showsOf(daemon, "pods.test", "10.1.0.7", "shopper");
    await shows(daemon, "10.9.9.9");
  });

  await t.step(
    "internalTrafficPolicy Local: proxies have the endpoints of their node",
    async () => {
      await nodeLocalServices(client, daemon);
    },
  );

  await t.step("addresses of slices without pods are those of pods", async () => {
    await addressedPods(client, daemon);
  });

  await t.step("names of load balancers and ports of nodes are gateways of networks", async () => {
    await networkGateways(client, daemon);
  });

  await t.step("names of load balancers of Services that networks name are gateways", async () => {
    await namedGateway(client, daemon);
  });

  await t.step("sidecars of pods that no Service selects are counted", async () => {
    await unselectedPods(client, daemon);
  });

  await t.step(
    "variables disable the selection of workloads across kinds, and other namespaces",
    async () => {
      await make(client, types.NAMESPACE, { name: "elsewhere" }, {});
      const ports = [{ name: "http", port: 80 }];
      await make(client, types.SERVICE, { name: "far", namespace: "elsewhere" }, {
        spec: { ports },
      });
      const knows = async (one: Daemon, host: string) =>
        JSON.stringify(await one.debug("registryz")).includes(host);
      await eventually("the Service of the namespace", () => knows(daemon, ELSEWHERE));
      await using second = await startDaemon({
        configDir: "",
        args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
        env: {
          PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES: "false",
          PILOT_ENABLE_SERVICEENTRY_SELECT_PODS: "false",
          MESH_WATCH_NAMESPACE: "default",
        },
      });
      assert.deepEqual([await knows(second, HOST), await knows(second, ELSEWHERE)], [true, false]);
      await shows(second, "10.1.0.2", "!10.9.9.9");
      await showsOf(second, "pods.test", "!10.1.0.7");
    },
  );

  await t.step("discovery selectors follow the labels of namespaces", async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-selectors-" });
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
    const meshConfig = `${dir}/mesh.yaml`;
    await Deno.writeTextFile(meshConfig, "discoverySelectors: [{matchLabels: {mesh: selected}}]\n");
    await using third = await startDaemon({
      configDir: "",
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`, `--meshConfig=${meshConfig}`],
    });
    const known = async () => JSON.stringify(await third.debug("registryz")).includes(HOST);
    assert.equal(await known(), false, "the namespace has no label");
    const label = (mesh: string | null) =>
      mergePatch(client, types.NAMESPACE, { name: "default" }, { metadata: { labels: { mesh } } });
    await label("selected");
    await eventually("the Service of the selected namespace", known);
    await label(null);
    await eventually("no Service without the label", async () => !await known());
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
