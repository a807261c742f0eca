/** A real Envoy accepts patched clusters, listeners and route tables. */
import assert from "node:assert/strict";
import { showResource } from "../../lib/insight/diff/mod.ts";
import type { JsonObject } from "../../lib/kit/proto/mod.ts";
import { PATCH_CASES, PATCHED_MESH } from "../support/patch_cases.ts";
import { routesBootstrap, validateBootstrap } from "../support/envoy_validate.ts";
import { proxyNode, startTranslation } from "../support/translation_fixture.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const PROXIES = {
  client: proxyNode("one", { labels: { app: "client" } }),
  server: proxyNode("one", { ip: "10.0.0.2", labels: { app: "server" } }),
  gateway: proxyNode("one", { role: "router", labels: { app: "gw" } }),
};

/** Resources of a type that a case's patches change, under names that no other case has. */
function changed(type: "cluster" | "listener" | "route"): JsonObject[] {
  return PATCH_CASES.flatMap(({ name, proxy, patches }) => {
    const bench = startTranslation();
    bench.set(PATCHED_MESH);
    const binding = bench.translation.source.bind(PROXIES[proxy], () => {});
    const view = () => [...binding.view(TYPE_URLS[type])!.entries()];
    const before = new Set(view().map((r) => r.version));
    bench.set(`apiVersion: networking.mesh.io/v1alpha3
kind: DataproxyFilter
metadata: {name: patch, namespace: one}
spec:
  configPatches:
${patches.map((patch) => `  - ${patch}\n`).join("")}`);
    return view().filter((r) => !before.has(r.version)).map((r) => {
      const json = showResource(TYPE_URLS[type], r.bytes) as JsonObject;
      return { ...json, name: `${name} ${r.name}` };
    });
  });
}

/** A listener at an address that no other has. */
function apart(listener: JsonObject, index: number): JsonObject {
  const { additionalAddresses: _, ...rest } = listener;
  const socketAddress = { address: "127.0.0.1", portValue: 20_000 + index };
  return { ...rest, address: { socketAddress } };
}

Deno.test("Envoy takes patched clusters and listeners", async () => {
  const [clusters, listeners] = [changed("cluster"), changed("listener")];
  assert.ok(clusters.length >= 8 && listeners.length >= 25);
  const grpcServices = [{ envoyGrpc: { clusterName: "xds" } }];
  const own = (cluster: JsonObject): JsonObject =>
    cluster.loadAssignment === undefined
      ? cluster
      : { ...cluster, loadAssignment: { clusterName: cluster.name! } };
  const verdict = await validateBootstrap({
    node: { id: "sidecar~10.0.0.1~a.ns~ns.svc.cluster.local", cluster: "a.ns" },
    dynamicResources: { adsConfig: { apiType: "GRPC", transportApiVersion: "V3", grpcServices } },
    staticResources: {
      clusters: [{ name: "xds", type: "STATIC", connectTimeout: "1s" }, ...clusters.map(own)],
      listeners: listeners.map(apart),
    },
  });
  assert.ok(verdict.accepted, verdict.log);
});

Deno.test("Envoy takes patched route tables", async () => {
  const tables = changed("route");
  assert.ok(tables.length >= 12);
  // Clusters are not there; routes to them are taken all the same.
  const open = tables.map((table) => ({ ...table, validateClusters: false }));
  const verdict = await validateBootstrap(routesBootstrap(open));
  assert.ok(verdict.accepted, verdict.log);
});
