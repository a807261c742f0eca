/**
 * Traffic through an Envoy that is fed from a real API server. Pods are programs in network
 * namespaces whose addresses are in the status of Pod objects; the controllers of the cluster make
 * the EndpointSlices.
 */
import assert from "node:assert/strict";
import { mergePatch, objectPath, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import {
  type Agent,
  call,
  type Cluster,
  eventually,
  freePort,
  spread,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { writeCapturePorts } from "../support/capture_ports.ts";
import { writePluggedCa } from "../support/identity.ts";
import { mutualTls } from "./cases/mutual_tls.ts";
import { missingForPods, type Pod, startPod } from "./pods/pod.ts";

const MISSING: string | undefined = missingForPods();
const CLIENT = "127.0.46.1";
const HOST = "web.shop.svc.cluster.local";
const POD_PORT = 8080;

/** Objects that are applied first. `PORT` is the port of the Service. */
const OBJECTS = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/region: r1, topology.kubernetes.io/zone: z1}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports: [{name: http, port: PORT, targetPort: ${POD_PORT}}]
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec:
  clusterIP: None
  selector: {app: web}
  ports: [{name: tcp, port: ${POD_PORT}}]
---
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: client, namespace: shop}
spec:
  workloadSelector: {labels: {app: client}}
  egress:
  - port: {number: PORT, protocol: HTTP, name: http}
    bind: ${CLIENT}
    captureMode: NONE
    hosts: ["./*"]
  - hosts: ["./*"]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: shop}
spec:
  host: web
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;

const ROUTES = `
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: shop}
spec:
  hosts: [web]
  http:
  - match: [{uri: {prefix: /teapot}}]
    directResponse: {status: 418}
  - route: [{destination: {host: web, subset: v2}}]
`;

/** Creates the object of a pod, and reports its address and readiness as a kubelet would. */
async function register(cluster: Cluster, client: OrchClient, pod: Pod): Promise<void> {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod.name, namespace: "shop", labels: { app: "web", version: pod.version } },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "none" }] },
  };
  await apply(cluster, JSON.stringify(object));
  const at = { namespace: "shop", name: pod.name, subresource: "status" };
  await mergePatch(client, types.POD, at, {
    status: {
      phase: "Running",
      podIP: pod.address,
      podIPs: [{ ip: pod.address }],
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
}

async function apply(cluster: Cluster, text: string): Promise<void> {
  const { success, text: said } = await cluster.run(["apply", "-f", "-"], text);
  assert.ok(success, said);
}

/** Waits until exactly these pods answer. */
async function answering(url: string, host: string, names: readonly string[]): Promise<void> {
  await eventually(`answers of ${names}`, async () => {
    const counts = await spread(20, url, { host }).catch(() => ({}));
    return Object.keys(counts).sort().join() === [...names].sort().join();
  }, 120_000);
}

/** Sends requests without a pause until it is stopped; returns the statuses by number. */
function trafficTo(url: string, host: string): () => Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let over = false;
  const loop = async (): Promise<void> => {
    while (!over) {
      const status = await call(url, { host }).then((a) => `${a.status}`, (e) => `${e}`);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const loops = [loop(), loop(), loop()];
  return async () => {
    over = true;
    await Promise.all(loops);
    return statuses;
  };
}

/** Begins the deletion of a pod: its endpoint terminates, and still serves. */
async function terminate(client: OrchClient, name: string): Promise<void> {
  await client.text({
    method: "DELETE",
    path: objectPath(types.POD, { namespace: "shop", name }),
    body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 600 },
  });
}

async function startClient(dir: string, xds: string): Promise<Agent> {
  return await startAgent({
    role: "sidecar",
    name: "client",
    namespace: "shop",
    labels: { app: "client" },
    ip: CLIENT,
    xds,
    envoy: await envoyPath(),
    dir,
    interception: "REDIRECT",
  });
}

clusterTest(
  "traffic obeys Services, slices and custom resources of an API server",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    const port = freePort();
    await apply(cluster, OBJECTS.replaceAll("PORT", `${port}`));
    const account = ["get", "serviceaccount", "default", "-n", "shop"];
    await eventually("a service account", async () => (await cluster.run(account)).success, 60_000);
    await using stack = new AsyncDisposableStack();
    const dir = await Deno.makeTempDir({ prefix: "mesh-traffic-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const pods = stack.use(new AsyncDisposableStack());
    const add = async (number: number, version: string): Promise<Pod> => {
      const pod = pods.use(await startPod({ number, version, port: POD_PORT }));
      await register(cluster, client, pod);
      return pod;
    };
    const [first, second] = await Promise.all([add(1, "v1"), add(2, "v2")]);
    const meshConfig = await writeCapturePorts(dir);
    const args = [
      `--orchconfig=${cluster.files.daemonKubeconfig}`,
      `--meshConfig=${meshConfig}`,
    ];
    const { certificate: { pem: root } } = await writePluggedCa(`${dir}/ca`);
    const secured = freePort();
    const env = { ROOT_CA_DIR: `${dir}/ca` };
    const daemon = stack.use(await startDaemon({ configDir: "", args, secured, env }));
    const proxy = stack.use(await startClient(dir, daemon.xds));
    const url = `http://${CLIENT}:${port}/`;
    const host = `${HOST}:${port}`;

    await t.step("a Service is served by its ready pods", async () => {
      await answering(url, host, [first.name, second.name]);
    });

    await t.step("a headless Service has a listener at each pod's address", async () => {
      for (const { address } of [first, second]) {
        await eventually(`a listener at ${address}`, async () => {
          return (await proxy.held("listener")).some((name) => name.includes(address));
        }, 60_000);
      }
    });

    await t.step("the analysis finds no mistake in Services", async () => {
      const found = await daemon.debug<{ code: string }[]>("analysis");
      assert.deepEqual(found.map(({ code }) => code), []);
    });

    await t.step("a VirtualService of the API routes, and its deletion ends that", async () => {
      await apply(cluster, ROUTES);
      await answering(url, host, [second.name]);
      assert.equal((await call(`${url}teapot`, { host })).status, 418);
      const { success } = await cluster.run(["delete", "virtualservice", "web", "-n", "shop"]);
      assert.ok(success);
      await answering(url, host, [first.name, second.name]);
    });

    await t.step("mutual TLS between Envoys, by objects of the API", async () => {
      await mutualTls({
        client,
        apply: (text) => apply(cluster, text),
        root,
        dir,
        xds: `localhost:${secured}`,
        address: first.near,
      });
    });

    await t.step("all pods are replaced, and no request fails", async () => {
      const stop = trafficTo(url, host);
      const [third, fourth] = await Promise.all([add(3, "v1"), add(4, "v2")]);
      await answering(url, host, [first, second, third, fourth].map(({ name }) => name));
      for (const { name } of [first, second]) await terminate(client, name);
      await answering(url, host, [third.name, fourth.name]);
      for (const pod of [first, second]) await pod[Symbol.asyncDispose]();
      await answering(url, host, [third.name, fourth.name]);
      const statuses = await stop();
      assert.deepEqual(Object.keys(statuses), ["200"], JSON.stringify(statuses));
    });
  },
  { controllers: true, missing: MISSING },
);
