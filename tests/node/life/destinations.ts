/**
 * Destinations that are no ordinary Service of injected pods.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import {
  apply,
  deployment,
  podsEventually,
  podsReady,
  serviceOf,
  statefulSet,
  workloadContainer,
} from "../../support/node.ts";
import {
  asks,
  callerOf,
  CLIENT,
  injectedNamespace,
  inPod,
  isClosed,
  isOk,
  type MeshCase,
  OUTSIDER,
  peers,
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

const stateful: MeshCase = {
  name: "a StatefulSet by each name, under STRICT and PERMISSIVE",
  async run(cluster) {
    const namespace = "data";
    await injectedNamespace(cluster, namespace);
    await apply(
      cluster,
      peers(namespace, "STRICT"),
      serviceOf("db", [{ name: "http", port: 8080 }, { name: "db", port: 3306 }], {
        ...{ namespace, spec: { clusterIP: "None" } },
      }),
      serviceOf("any", PORTS, { namespace, spec: { selector: { app: "db" } } }),
      statefulSet("db", SERVERS, { namespace, replicas: 2 }),
      deployment("reader", workloadContainer(["sleep", "1h"]), { namespace }),
    );
    await podsReady(cluster, "app=db", { namespace, count: 2 });
    await podsReady(cluster, "app=reader", { namespace });
    const hosts = ["db-0.db", "db-1.db", "db"].flatMap((name) =>
      ["", ".data", ".data.svc.cluster.local"].map((rest) => `${name}${rest}`)
    );
    const urls = [...hosts.map((host) => `http://${host}:8080/headers`), "http://any/headers"];
    const addresses = [...hosts, "any"].map((host) => `${host}:3306`);
    const reader = { pod: "deploy/reader", namespace };
    const identity = "spiffe://cluster.local/ns/data/sa/default";
    const isMutual = (line: string): boolean => isOk(line) && callerOf(line) === identity;
    const far = ["http://db-0.db.data:8080/", "http://any.data/"];
    for (const mode of ["STRICT", "PERMISSIVE"] as const) {
      await apply(cluster, peers(namespace, mode));
      const answer = mode === "STRICT" ? isClosed : isOk;
      await asks(cluster, OUTSIDER, far, (lines) => lines.filter(answer).length === far.length);
      await asks(cluster, reader, urls, (lines) => lines.filter(isMutual).length === urls.length);
      await hears(cluster, reader, addresses);
    }
    for (const host of ["db-0.db", "db-1.db"]) {
      const [line] = await asks(cluster, reader, [`http://${host}:8080/`], (all) => all.some(isOk));
      assert.equal(line, `200 ${host.slice(0, 4)}`);
    }
  },
};

const first: MeshCase = {
  name: "a server that speaks first, to clients outside the mesh where its port has no mutual TLS",
  async run(cluster) {
    const namespace = "greeters";
    await injectedNamespace(cluster, namespace);
    await apply(
      cluster,
      deployment("greeter", SERVERS, { namespace }),
      serviceOf("greeter", PORTS, { namespace }),
    );
    await podsReady(cluster, "app=greeter", { namespace });
    await hears(cluster, CLIENT, ["greeter.greeters:3306"]);
    await apply(cluster, {
      ...peers(namespace, "PERMISSIVE"),
      spec: {
        selector: { matchLabels: { app: "greeter" } },
        portLevelMtls: { 3306: { mode: "DISABLE" } },
      },
    });
    await hears(cluster, OUTSIDER, ["greeter.greeters:3306"]);
    await hears(cluster, CLIENT, ["greeter.greeters:3306"]);
  },
};

/** The cases. */
export const DESTINATIONS: readonly MeshCase[] = [stateful, outside, external, first];
