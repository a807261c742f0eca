/**
 * Destinations that are no ordinary Service of injected pods.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { apply, podsEventually, serviceOf, workloadContainer } from "../../support/node.ts";
import {
  asks,
  callerOf,
  CLIENT,
  inPod,
  isOk,
  type MeshCase,
  read,
} from "../../support/node_mesh.ts";

const GREETING = "I speak first";

/** Servers of HTTP, and of a protocol in which the server speaks first. */
export const SERVERS: readonly Record<string, unknown>[] = [
  workloadContainer(["serve", "8080"], {
    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
  }),
  workloadContainer(["greet", "3306", GREETING], { name: "greeter" }),
];

const PORTS = [{ name: "http", port: 80, targetPort: 8080 }, { name: "db", port: 3306 }];

/** The Service of the pods outside the mesh. */
export const OUTSIDE: unknown = serviceOf("outsider", PORTS);

/** Waits until a client hears the greeting of all addresses. */
async function hears(
  cluster: NodeCluster,
  place: typeof CLIENT,
  addresses: readonly string[],
): Promise<void> {
  const all = addresses.map(() => GREETING).join("\n");
  await podsEventually(`greetings of ${addresses}`, async () => {
    const heard = await inPod(cluster, place, "hear", ...addresses);
    if (heard !== all) throw new Error(heard);
    return true;
  });
}

const outside: MeshCase = {
  name: "a pod outside the mesh, by its Service and by its address",
  async run(cluster) {
    const address = await read(
      cluster,
      "default",
      "pods -l=app=outsider",
      "{.items[0].status.podIP}",
    );
    const urls = ["http://outsider.default/headers", `http://${address}:8080/headers`];
    const lines = await asks(cluster, CLIENT, urls, (all) => all.length === 2 && all.every(isOk));
    assert.deepEqual(lines.map(callerOf), ["", ""]);
    await hears(cluster, CLIENT, ["outsider.default:3306", `${address}:3306`]);
  },
};

const external: MeshCase = {
  name: "an ExternalName, of a Service outside the mesh and of one in it",
  async run(cluster) {
    const names: Readonly<Record<string, string>> = {
      away: "outsider.default",
      inner: "server.shop",
    };
    for (const [name, target] of Object.entries(names)) {
      const spec = { type: "ExternalName", externalName: `${target}.svc.cluster.local` };
      const ports = [{ name: "http", port: 80 }];
      const metadata = { namespace: "shop", name };
      await apply(
        cluster,
        { apiVersion: "v1", kind: "Service", metadata, spec: { ...spec, ports } },
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { ...metadata, name: `${name}-bare` },
          spec,
        },
      );
    }
    const urls = Object.keys(names).flatMap((name) => [
      `http://${name}/headers`,
      `http://${name}-bare/headers`,
    ]);
    const lines = await asks(cluster, CLIENT, urls, (all) => all.length === 4 && all.every(isOk));
    const client = "spiffe://cluster.local/ns/shop/sa/client";
    assert.deepEqual(lines.map(callerOf), ["", "", client, client]);
  },
};

/** The cases. */
export const DESTINATIONS: readonly MeshCase[] = [outside, external];
