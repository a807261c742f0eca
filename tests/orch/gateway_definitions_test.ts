/**
 * The definitions of the Gateway API that tests use are those of its version and channel.
 *
 * @module
 */
import assert from "node:assert/strict";
import { GATEWAY_API_VERSION } from "../../scripts/cluster/gateway_api.ts";
import { clusterTest } from "../support/cluster.ts";
import {
  applyGatewayApi,
  lackingGatewayApiDefinitions,
  removeGatewayApi,
} from "../support/gateway_api.ts";

const CHANNEL = "gateway.networking.k8s.io/channel";
const VERSION = "gateway.networking.k8s.io/bundle-version";

clusterTest("both channels of the Gateway API are defined and removed", async (cluster) => {
  const gateways = async (): Promise<Record<string, string> | undefined> => {
    const name = "gateways.gateway.networking.k8s.io";
    const { success, text } = await cluster.run(["get", "crd", name, "-o=json"]);
    return success ? JSON.parse(text).metadata.annotations : undefined;
  };
  for (const channel of ["standard", "experimental"] as const) {
    await applyGatewayApi(cluster, channel);
    const annotations = await gateways();
    assert.equal(annotations?.[CHANNEL], channel);
    assert.equal(annotations?.[VERSION], `v${GATEWAY_API_VERSION}`);
  }
  await removeGatewayApi(cluster, "experimental");
  assert.equal(await gateways(), undefined);
}, { missing: lackingGatewayApiDefinitions() });
