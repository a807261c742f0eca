/**
 * Requests between restricted pods, by mutual TLS, and from outside the mesh.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { apply, deployment, podsReady, workloadContainer } from "../../support/node.ts";
import { asks, callerOf, isOk, OUTSIDER, peers } from "../../support/node_mesh.ts";
import { requireNoRights, restrictedContainer, server } from "./restricted.ts";

/** The client that {@linkcode restrictedTraffic} makes. */
export function clientIn(namespace: string): { readonly pod: string; readonly namespace: string } {
  return { pod: "deploy/client", namespace };
}

/** Makes a server, a client and an outsider, and asserts who may call the server, and as whom. */
export async function restrictedTraffic(cluster: NodeCluster, namespace: string): Promise<void> {
  await apply(
    cluster,
    ...server(namespace),
    peers(namespace, "STRICT"),
    deployment("client", restrictedContainer(["sleep", "1h"]), { namespace }),
    deployment("outsider", workloadContainer(["sleep", "1h"])),
  );
  await podsReady(cluster, "app=server", { namespace });
  await podsReady(cluster, "app=client", { namespace });
  await podsReady(cluster, "app=outsider");
  await requireNoRights(cluster, namespace);
  const [line] = await asks(
    cluster,
    clientIn(namespace),
    ["http://server/headers"],
    (lines) => lines.every(isOk),
  );
  assert.equal(callerOf(line!), `spiffe://cluster.local/ns/${namespace}/sa/default`);
  // Mutual TLS is asked for, and the proxy of the server refuses what has none.
  const closed = (lines: readonly string[]) => lines.every((one) => one.startsWith("error "));
  await asks(cluster, OUTSIDER, [`http://server.${namespace}/`], closed);
  await apply(cluster, peers(namespace, "PERMISSIVE"));
  await asks(cluster, OUTSIDER, [`http://server.${namespace}/`], (lines) => lines.every(isOk));
}
