import assert from "node:assert/strict";
import { podFacts } from "./api.ts";
import { createPodAddresses } from "./pod_addresses.ts";
import { createSliceIndex, idOf } from "./slice_index.ts";

function pod(name: string, ...ips: string[]) {
  const status = { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
  return podFacts({ metadata: { name, namespace: "shop" }, status } as never);
}

Deno.test("a pod has its addresses of both families, until it has others or is gone", () => {
  const pods = createPodAddresses();
  const id = idOf("shop", "a");
  assert.deepEqual(pods.put(id, pod("a", "10.1.0.1", "fd00::1")), [
    "address shop 10.1.0.1",
    "address shop fd00::1",
  ]);
  assert.deepEqual(["10.1.0.1", "fd00::1", "10.1.0.2"].map((ip) => pods.nameAt("shop", ip)), [
    "a",
    "a",
    undefined,
  ]);
  assert.equal(pods.nameAt("bank", "10.1.0.1"), undefined, "pods of other namespaces do not count");
  assert.deepEqual(pods.put(id, pod("a", "10.1.0.2")), [
    "address shop 10.1.0.1",
    "address shop fd00::1",
    "address shop 10.1.0.2",
  ]);
  assert.equal(pods.nameAt("shop", "10.1.0.1"), undefined);
  pods.put(id, undefined);
  assert.equal(pods.nameAt("shop", "10.1.0.2"), undefined);
});

Deno.test("an address of several pods, as those in the network of a node have, is none of them", () => {
  const pods = createPodAddresses();
  for (const name of ["a", "b"]) pods.put(idOf("shop", name), pod(name, "10.0.0.1"));
  assert.equal(pods.nameAt("shop", "10.0.0.1"), undefined);
  pods.put(idOf("shop", "a"), undefined);
  assert.equal(pods.nameAt("shop", "10.0.0.1"), "b");
});

Deno.test("a slice without pods is found by its addresses", () => {
  const index = createSliceIndex();
  const metadata = {
    name: "x",
    namespace: "shop",
    labels: { "kubernetes.io/service-name": "ext" },
  };
  const endpoints = [{ addresses: ["10.1.0.1"] }];
  index.update({ upserts: [{ metadata, endpoints }], deletes: [] } as never);
  assert.deepEqual([...index.servicesAt(["address shop 10.1.0.1"])], [idOf("shop", "ext")]);
  assert.deepEqual([...index.servicesAt(["address bank 10.1.0.1"])], []);
});
