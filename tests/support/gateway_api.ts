/**
 * The Gateway API in clusters of tests.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type GatewayApiChannel,
  gatewayApiDefinitions,
} from "../../scripts/cluster/gateway_api.ts";

export { lackingGatewayApiDefinitions } from "../../scripts/cluster/gateway_api.ts";

/** A cluster with or without nodes. */
export interface DefinedCluster {
  run(args: readonly string[]): Promise<{ readonly success: boolean }>;
}

/** Defines the kinds of the Gateway API, and waits until the API server serves them. */
export async function applyGatewayApi(
  cluster: DefinedCluster,
  channel: GatewayApiChannel = "standard",
): Promise<void> {
  const files = gatewayApiDefinitions(channel).flatMap((path) => ["-f", path]);
  await succeeds(cluster, ["apply", "--server-side", "--force-conflicts", ...files]);
  await succeeds(cluster, ["wait", "--for=condition=Established", "--timeout=120s", ...files]);
}

/**
 * Removes the kinds of the Gateway API with all their objects. The API server deletes the objects of a
 * kind first. If that fails, it pauses twice as long before each further attempt, up to minutes, but
 * attempts it at once for a definition that changes. So definitions that are left are changed.
 */
export async function removeGatewayApi(
  cluster: DefinedCluster,
  channel: GatewayApiChannel = "standard",
): Promise<void> {
  const files = gatewayApiDefinitions(channel).flatMap((path) => ["-f", path]);
  const remove = ["delete", "--ignore-not-found", "--timeout=20s", ...files];
  for (let attempt = 1; attempt <= REMOVALS; attempt++) {
    if ((await cluster.run(remove)).success) return;
    await cluster.run(["annotate", "--overwrite", ...files, `mesh.io/removal=${attempt}`]);
  }
  await succeeds(cluster, remove);
}

/** Attempts to remove definitions. */
const REMOVALS = 10;

async function succeeds(cluster: DefinedCluster, args: readonly string[]): Promise<void> {
  const answer = await cluster.run(args);
  assert.ok(answer.success, `kubectl ${args[0]}: ${JSON.stringify(answer)}`);
}
