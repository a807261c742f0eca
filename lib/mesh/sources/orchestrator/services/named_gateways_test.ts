import assert from "node:assert/strict";
import { create } from "../../../../kit/proto/mod.ts";
import { type MeshNetworks, MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { createListeners, type Followed } from "../../followed.ts";
import { followNamedGateways } from "./named_gateways.ts";

function networksOf(hosts: readonly string[]): MeshNetworks {
  const gateways = hosts.map((value) => ({
    gw: { case: "registryServiceName" as const, value },
  }));
  return create(MeshNetworksSchema, { networks: { n2: { gateways } } });
}

Deno.test("Services that networks name are gateways, and changes name those that differ", () => {
  const listeners = createListeners<MeshNetworks>();
  let current = networksOf([
    "GW.shop.svc.cluster.local",
    "other.shop.svc.cluster.local",
    "gw.example.com",
    "a.b.c.svc.cluster.local",
    ".shop.svc.cluster.local",
  ]);
  const networks: Followed<MeshNetworks> = {
    current: () => current,
    subscribe: listeners.subscribe,
  };
  const reported: string[][] = [];
  const named = followNamedGateways({
    networks,
    domain: "cluster.local",
    changed: (services) => reported.push([...services].sort()),
  });
  const isNamed = (...ids: string[]) => ids.map((id) => named.has(id));
  assert.deepEqual(isNamed("shop gw", "shop other", "shop east"), [true, true, false]);

  const change = (hosts: readonly string[]): void => {
    current = networksOf(hosts);
    listeners.notify(current);
  };
  change(["gw.shop.svc.cluster.local", "east.shop.svc.cluster.local"]);
  assert.deepEqual(isNamed("shop gw", "shop other", "shop east"), [true, false, true]);
  change(["east.shop.svc.cluster.local", "gw.shop.svc.cluster.local"]);
  assert.deepEqual(reported, [["shop east", "shop other"]]);

  named[Symbol.dispose]();
  change([]);
  assert.equal(reported.length, 1);
});

Deno.test("without networks no Service is named", () => {
  using named = followNamedGateways({
    domain: "cluster.local",
    changed: () => assert.fail("nothing changes"),
  });
  assert.equal(named.has("shop gw"), false);
});
