/**
 * Assertions about a daemon and pods of two versions: injection, mutual TLS, edits, and certificates
 * that are renewed.
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
  service,
  workloadContainer,
} from "../../support/node.ts";
import { asks, callerOf, isClosed, isOk, peers, read } from "../../support/node_mesh.ts";

const NAMESPACE = "skew";
/** Short, so that certificates are renewed while the pair is tested. */
const PROXY_CONFIG = JSON.stringify({ proxyMetadata: { SECRET_TTL: "30s" } });
const CLIENT = { pod: "deploy/client", namespace: NAMESPACE };
const OUTSIDER = { pod: "deploy/outsider", namespace: "default" };

/** The workloads: a server and a client with proxies, and a pod outside of the mesh. */
export async function deployWorkloads(cluster: NodeCluster): Promise<void> {
  const annotations = { "proxy.mesh.io/config": PROXY_CONFIG };
  const server = workloadContainer(["serve", "8080"], { ports: [{ containerPort: 8080 }] });
  const sleeper = workloadContainer(["sleep", "1h"]);
  await apply(
    cluster,
    deployment("server", server, { namespace: NAMESPACE, annotations }),
    service("server", 80, 8080, NAMESPACE),
    deployment("client", sleeper, { namespace: NAMESPACE, annotations }),
    deployment("outsider", sleeper),
    peers(NAMESPACE, "STRICT"),
  );
  await workloadsReady(cluster);
  await podsReady(cluster, "app=outsider");
}

/** Starts the pods again, which get proxies of the present installation. */
export async function restartWorkloads(cluster: NodeCluster): Promise<void> {
  await kubectl(cluster, ["rollout", "restart", "-n", NAMESPACE, "deploy/server", "deploy/client"]);
  for (const name of ["server", "client"]) {
    await kubectl(cluster, ["rollout", "status", "-n", NAMESPACE, `deploy/${name}`]);
  }
  await workloadsReady(cluster);
}

async function workloadsReady(cluster: NodeCluster): Promise<void> {
  for (const name of ["server", "client"]) {
    await podsReady(cluster, `app=${name}`, { namespace: NAMESPACE });
  }
}

/** Asserts that pods of the image with the tag work; `say` is told what was seen. */
export async function worksTogether(
  cluster: NodeCluster,
  { tag, closed, say }: {
    readonly tag: string;
    /** A path that is closed while the pair is tested. */
    readonly closed: string;
    readonly say: (line: string) => void;
  },
): Promise<void> {
  const images = await read(
    cluster,
    NAMESPACE,
    "pods",
    "{.items[*].spec['initContainers','containers'][?(@.name!='app')].image}",
  );
  for (const image of images.split(" ")) assert.ok(image.endsWith(`:${tag}`), images);
  say(`injected: ${[...new Set(images.split(" "))].join(", ")}`);
  const [line] = await asks(cluster, CLIENT, ["http://server/headers"], (all) => all.every(isOk));
  const caller = callerOf(line!);
  assert.equal(caller, `spiffe://cluster.local/ns/${NAMESPACE}/sa/default`);
  say(`mutual TLS: the server knows ${caller}`);
  await asks(cluster, OUTSIDER, [`http://server.${NAMESPACE}/`], (all) => all.some(isClosed));
  say("a pod outside of the mesh is refused");
  await apply(cluster, denied(closed));
  await asks(
    cluster,
    CLIENT,
    [`http://server${closed}`, "http://server/open"],
    ([one = "", other = ""]) => one.startsWith("403 ") && isOk(other),
  );
  say(`an edit is obeyed: ${closed} is closed`);
  for (const name of ["server", "client"]) await renews(cluster, name);
  await asks(cluster, CLIENT, ["http://server/open"], (all) => all.every(isOk));
  say("both certificates were renewed, and requests go on");
  for (const name of ["server", "client"]) {
    const path = "stats?filter=update_rejected&usedonly";
    assert.doesNotMatch(await ofProxy(cluster, name, path), /update_rejected: [1-9]/);
  }
  say("the proxies rejected nothing");
}

async function renews(cluster: NodeCluster, name: string): Promise<void> {
  const serials = async (): Promise<string> => {
    const found = (await ofProxy(cluster, name, "certs")).match(/"serial_number": "\w+"/g) ?? [];
    return found.join();
  };
  const before = await serials();
  assert.notEqual(before, "");
  await podsEventually(`${name} to renew its certificate`, async () => await serials() !== before);
}

function ofProxy(cluster: NodeCluster, name: string, path: string): Promise<string> {
  const command = ["pilot-agent", "request", "GET", path];
  return kubectl(cluster, [
    ...["exec", "-n", NAMESPACE, `deploy/${name}`, "-c", "mesh-proxy", "--"],
    ...command,
  ]);
}

function denied(path: string): unknown {
  return {
    apiVersion: "security.mesh.io/v1",
    kind: "AuthorizationPolicy",
    metadata: { name: "closed", namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: { app: "server" } },
      action: "DENY",
      rules: [{
        from: [{ source: { principals: [`cluster.local/ns/${NAMESPACE}/sa/default`] } }],
        to: [{ operation: { paths: [path] } }],
      }],
    },
  };
}
