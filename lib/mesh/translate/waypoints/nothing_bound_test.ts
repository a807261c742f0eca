/** The listener of a waypoint that takes no connections. */
import assert from "node:assert/strict";
import {
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { showResource } from "../../../insight/diff/mod.ts";
import { defaultMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const WAYPOINT = proxyNode("one", {
  role: "waypoint",
  metadata: { AGENT_CERTIFICATES: "true" },
  labels: { "gateway.networking.k8s.io/gateway-name": "wp" },
});

const GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: wp, namespace: one}
spec:
  gatewayClassName: mesh-waypoint
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
`;

Deno.test("a waypoint to which nothing is bound has a listener that proxies accept", () => {
  const bench = startTranslation(
    defaultMeshConfig(),
    featuresWith({ PILOT_ENABLE_AMBIENT: "true" }),
  );
  bench.set(GATEWAY);
  const listeners = bench.translation.source.bind(WAYPOINT, () => {}).view(TYPE_URLS.listener)!;
  const { bytes } = listeners.get("main_internal")!;
  const { filterChains } = showResource(TYPE_URLS.listener, bytes) as { filterChains?: unknown };
  // A chain without a match takes every connection; without filters it closes them.
  assert.deepEqual(filterChains, [{ name: "nothing-bound" }]);
});
