/**
 * Names of pods of a headless Service: a client whose traffic is captured calls single pods by name,
 * and the rules of the Service apply.
 */
import assert from "node:assert/strict";
import { mergePatch, types } from "../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { eventually, freePort, startBackend, startDaemon } from "../../scripts/harness/mod.ts";
import { missingTool, PROXY_GROUP } from "../e2e/redirect/network.ts";
import { curl, start } from "../e2e/redirect/programs.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { captureClient } from "./pods/captured.ts";
import { missingForPods } from "./pods/pod.ts";

const PORT = 8080;

const OBJECTS = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec:
  clusterIP: None
  selector: {app: db}
  ports: [{name: http, port: ${PORT}}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: db, namespace: shop}
spec:
  hosts: [db]
  http:
  - match: [{uri: {prefix: /ruled}}]
    directResponse: {status: 418}
  - route: [{destination: {host: db}}]
`;

/** The object of a pod of a StatefulSet. */
function pod(name: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app: "db" } },
    spec: {
      nodeName: "n1",
      hostname: name,
      subdomain: "db",
      containers: [{ name: "c", image: "none" }],
    },
  });
}

clusterTest(
  "pods of a headless Service are called by their names, under the rules of the Service",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    const apply = async (text: string): Promise<void> => {
      const { success, text: said } = await cluster.run(["apply", "-f", "-"], text);
      assert.ok(success, said);
    };
    await apply(OBJECTS);
    const account = ["get", "serviceaccount", "default", "-n", "shop"];
    await eventually("a service account", async () => (await cluster.run(account)).success, 60_000);
    await using stack = new AsyncDisposableStack();
    const dir = await Deno.makeTempDir({ prefix: "mesh-pod-names-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const network = stack.use(await captureClient(2));
    for (const [i, address] of network.pods.entries()) {
      const name = `db-${i}`;
      stack.use(startBackend(name, address, PORT));
      await apply(pod(name));
      await mergePatch(client, types.POD, { namespace: "shop", name, subresource: "status" }, {
        status: {
          phase: "Running",
          podIP: address,
          podIPs: [{ ip: address }],
          conditions: [{ type: "Ready", status: "True" }],
        },
      });
    }
    const xds = `${network.near}:${freePort()}`;
    const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`, `--grpcAddr=${xds}`];
    stack.use(await startDaemon({ configDir: "", args }));
    const program = new URL("./pods/client.ts", import.meta.url).pathname;
    stack.use(await start(network.space, [program, xds, network.address, dir], PROXY_GROUP));
    const get = async (at: number, name: string, path: string) => {
      const url = `http://${network.pods[at]}:${PORT}${path}`;
      const { status, headers } = await curl(network.space, "-H", `Host: ${name}:${PORT}`, url);
      return { status, from: headers.get("x-backend") };
    };

    for (const below of ["db", "db.shop", "db.shop.svc", "db.shop.svc.cluster.local"]) {
      await t.step(`names below ${below}`, async () => {
        for (const i of [0, 1]) {
          const name = `db-${i}.${below}`;
          await eventually(`the rule for ${name}`, async () => {
            return (await get(i, name, "/ruled")).status === 418;
          }, 60_000);
          assert.deepEqual(await get(i, name, "/"), { status: 200, from: `db-${i}` });
        }
      });
    }
  },
  {
    controllers: true,
    missing: missingForPods() ?? missingTool("curl"),
  },
);
