import assert from "node:assert/strict";
import { create } from "../../../kit/proto/mod.ts";
import { MeshConfig_ServiceSettingsSchema as Schema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { isClusterLocal, localPatterns } from "./cluster_local.ts";

const DOMAIN = "cluster.local";

function setting(clusterLocal: boolean, ...hosts: string[]) {
  return create(Schema, { settings: { clusterLocal }, hosts });
}

Deno.test("services of the orchestrator are local to clusters, unless a setting says otherwise", () => {
  const dns = "kube-dns.kube-system.svc.cluster.local";
  assert.equal(isClusterLocal([], DOMAIN, dns), true);
  assert.equal(isClusterLocal([], DOMAIN, "kubernetes.default.svc.cluster.local"), true);
  assert.equal(isClusterLocal([], DOMAIN, "web.default.svc.cluster.local"), false);
  assert.equal(isClusterLocal([setting(false, dns)], DOMAIN, dns), false);
});

Deno.test("the narrowest host decides", () => {
  const settings = [
    setting(true, "*.shop.svc.cluster.local"),
    setting(false, "cart.shop.svc.cluster.local"),
  ];
  assert.equal(isClusterLocal(settings, DOMAIN, "web.shop.svc.cluster.local"), true);
  assert.equal(isClusterLocal(settings, DOMAIN, "cart.shop.svc.cluster.local"), false);
  assert.deepEqual(localPatterns(settings, DOMAIN)[0], "*.shop.svc.cluster.local");
});
