/**
 * Traffic through Envoys whose zone and labels are those of their Pod and Node in a real API server:
 * failover by zone, and policies that follow labels, without a restart of an agent.
 */
import assert from "node:assert/strict";
import { createObject, mergePatch, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import {
  type Agent,
  call,
  type Cluster,
  eventually,
  freePort,
  spread,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { make, makeService, objectOf } from "../support/cluster_objects.ts";
import { run } from "../e2e/redirect/network.ts";
import { missingForPods, startPod } from "./pods/pod.ts";

const CLIENT = "127.0.49.1";
const UNUSED = "127.0.49.2";
const HOST = "web.default.svc.cluster.local";
const POD_PORT = 8080;
const ZONE = "topology.kubernetes.io/zone";

/**
 * `PORT` is the port at which the client listens. By default Envoy ejects at most 10 % of the endpoints:
 * none of two.
 */
const OBJECTS = `
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: client, namespace: default}
spec:
  workloadSelector: {labels: {app: client}}
  egress:
  - port: {number: PORT, protocol: HTTP, name: http}
    bind: ${CLIENT}
    captureMode: NONE
    hosts: ["./*"]
---
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: guarded, namespace: default}
spec:
  workloadSelector: {labels: {app: guarded}}
  egress:
  - port: {number: 9, protocol: TCP, name: tcp}
    bind: ${UNUSED}
    captureMode: NONE
    hosts: ["./*"]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: default}
spec:
  host: web
  trafficPolicy:
    outlierDetection: {consecutive5xxErrors: 1, interval: 1s, baseEjectionTime: 300s, maxEjectionPercent: 100}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: closed, namespace: default}
spec:
  selector: {matchLabels: {tier: closed}}
  action: DENY
  rules: [{to: [{operation: {paths: [/closed]}}]}]
`;

async function makeNode(client: OrchClient, name: string, zone: string): Promise<void> {
  const labels = { "topology.kubernetes.io/region": "r1", [ZONE]: zone };
  await make(client, types.NODE, { name, labels });
}

async function makePod(
  client: OrchClient,
  { name, node, address, app }: Record<"name" | "node" | "address" | "app", string>,
): Promise<void> {
  await make(client, types.POD, { name, labels: { app } }, {
    spec: { nodeName: node, containers: [{ name: "c", image: "none" }] },
  });
  await mergePatch(client, types.POD, { namespace: "default", name, subresource: "status" }, {
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
}

async function makeSlice(
  client: OrchClient,
  service: string,
  port: number,
  pods: readonly (readonly [name: string, address: string, node: string])[],
): Promise<void> {
  const labels = { "kubernetes.io/service-name": service };
  const slice = objectOf(types.ENDPOINT_SLICE, { name: service, labels }, {
    addressType: "IPv4",
    ports: [{ name: "http", port }],
    endpoints: pods.map(([name, address, nodeName]) => ({
      addresses: [address],
      conditions: { ready: true },
      nodeName,
      targetRef: { kind: "Pod", name, namespace: "default" },
    })),
  });
  await createObject(client, types.ENDPOINT_SLICE, slice);
}

async function apply(cluster: Cluster, text: string): Promise<void> {
  const { success, text: said } = await cluster.run(["apply", "-f", "-"], text);
  assert.ok(success, said);
}

clusterTest(
  "proxies follow the zone of their Node and the labels of their Pod",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    const port = freePort();
    await using stack = new AsyncDisposableStack();
    const dir = await Deno.makeTempDir({ prefix: "mesh-own-pod-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const pods = stack.use(new AsyncDisposableStack());
    const near = await startPod({ number: 11, version: "v1", port: POD_PORT });
    const far = pods.use(await startPod({ number: 12, version: "v1", port: POD_PORT }));
    const backend = stack.use(startBackend("guarded"));
    for (const [name, zone] of [["n1", "z1"], ["n2", "z2"], ["n3", "z1"]] as const) {
      await makeNode(client, name, zone);
    }
    for (const [{ name, address }, node] of [[near, "n1"], [far, "n2"]] as const) {
      await makePod(client, { name, node, address, app: "web" });
    }
    await makePod(client, { name: "client", node: "n3", address: CLIENT, app: "client" });
    // An address of this machine that slices accept.
    const guarded = { name: "guarded", node: "n1", address: far.near, app: "guarded" };
    await makePod(client, guarded);
    await makeService(client, "web", { ports: [{ name: "http", port }] });
    await makeSlice(client, "web", POD_PORT, [
      [near.name, near.address, "n1"],
      [far.name, far.address, "n2"],
    ]);
    const { port: own } = backend;
    await makeService(client, "guarded", { ports: [{ name: "http", port: own }] });
    await makeSlice(client, "guarded", own, [["guarded", far.near, "n1"]]);
    await apply(cluster, OBJECTS.replaceAll("PORT", `${port}`));
    const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`];
    const daemon = stack.use(await startDaemon({ configDir: "", args }));
    const start = async (name: string, ip: string): Promise<Agent> =>
      stack.use(
        await startAgent({
          role: "sidecar",
          name,
          labels: { app: name },
          namespace: "default",
          ip,
          xds: daemon.xds,
          envoy: await envoyPath(),
          dir,
        }),
      );
    await start("client", CLIENT);
    await start("guarded", far.near);
    const url = `http://${CLIENT}:${port}/`;
    const host = `${HOST}:${port}`;
    const answeredBy = (...names: string[]) =>
      eventually(`answers of ${names}`, async () => {
        const counts = await spread(20, url, { host }).catch(() => ({}));
        return Object.keys(counts).sort().join() === names.sort().join();
      }, 120_000);
    const setLabels = (type: typeof types.POD, name: string, labels: Record<string, unknown>) => {
      const at = type.namespaced ? { namespace: "default", name } : { name };
      return mergePatch(client, type, at, { metadata: { labels } });
    };

    await t.step("the endpoints of the client's zone are used alone", async () => {
      await answeredBy(near.name);
    });

    await t.step("the zone follows the labels of the Node", async () => {
      await setLabels(types.NODE, "n3", { [ZONE]: "z2" });
      await answeredBy(far.name);
      await setLabels(types.NODE, "n3", { [ZONE]: null });
      await answeredBy(near.name, far.name);
      await setLabels(types.NODE, "n3", { [ZONE]: "z1" });
      await answeredBy(near.name);
    });

    await t.step("the label mesh-locality of the Pod replaces that of the Node", async () => {
      await setLabels(types.POD, "client", { "mesh-locality": "r1.z2" });
      await answeredBy(far.name);
      await setLabels(types.POD, "client", { "mesh-locality": null });
      await answeredBy(near.name);
    });

    await t.step("a policy applies when the labels of the Pod match, and only then", async () => {
      const ask = () => call(`http://${far.near}:${own}/closed`).then(({ status }) => status);
      const answers = (status: number) =>
        eventually(
          `an answer ${status}`,
          async () => await ask().catch(() => 0) === status,
          60_000,
        );
      await answers(200);
      await setLabels(types.POD, "guarded", { tier: "closed" });
      await answers(403);
      await setLabels(types.POD, "guarded", { tier: null });
      await answers(200);
    });

    await t.step("the next zone stands in for pods that are gone", async () => {
      // Without its link, connections to the pod fail at once.
      const route = ["unreachable", near.address, "metric", "1"];
      await run("ip", "route", "add", ...route);
      stack.defer(() => run("ip", "route", "del", ...route).then(() => {}));
      await near[Symbol.asyncDispose]();
      await answeredBy(far.name);
    });
  },
  { missing: missingForPods() },
);
