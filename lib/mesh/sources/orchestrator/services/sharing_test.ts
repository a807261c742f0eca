import assert from "node:assert/strict";
import { serviceRow } from "./row.ts";
import { sharedRow, withinCluster } from "./sharing.ts";

const SERVICE = {
  metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
  spec: { clusterIP: "10.0.0.1", ports: [{ name: "http", port: 80 }] },
};
const SLICE = {
  metadata: { name: "web-1", namespace: "shop" },
  addressType: "IPv4",
  ports: [{ name: "http", port: 8080 }],
  endpoints: [{ addresses: ["10.1.0.1"] }],
};
const exported = serviceRow(SERVICE, {
  slices: [SLICE],
  pod: () => undefined,
  podAt: () => undefined,
  node: () => undefined,
  nodes: () => [],
  addressesOf: () => [],
  isNamedGateway: false,
  network: "",
  domain: "cluster.local",
  source: "cluster/a",
  selectEntries: false,
});
const imported = {
  metadata: { name: "web", namespace: "shop" },
  spec: { ips: ["10.7.0.1"], ports: [{ name: "http", port: 80 }] },
};
const of = { namespace: "shop", name: "web", source: "cluster/a" };

Deno.test("the shared host has the endpoints of the Service and the addresses of the import", () => {
  const row = sharedRow({ ...of, exported, imported })!;
  assert.deepEqual(row.spec.hosts, ["web.shop.svc.clusterset.local"]);
  assert.deepEqual(row.spec.addresses, ["10.7.0.1"]);
  assert.deepEqual(row.spec.endpoints.map(({ address }) => address), ["10.1.0.1"]);
  assert.equal(row.meta.name, "web.clusterset");
  assert.deepEqual(exported.spec.hosts, ["web.shop.svc.cluster.local"], "the Service's row stays");
  assert.deepEqual(sharedRow({ ...of, exported, imported: undefined })!.spec.addresses, []);
});

Deno.test("the shared host has the identities that annotations of the Service name", () => {
  const identities = { accounts: ["shop/a"], names: [] };
  const named = { ...exported, service: { ...exported.service!, identities } };
  assert.deepEqual(
    sharedRow({ ...of, exported: named, imported })!.service?.identities,
    identities,
  );
});

Deno.test("a cluster that only imports has the host without endpoints; others have no row", () => {
  const row = sharedRow({ ...of, exported: undefined, imported })!;
  assert.deepEqual(row.spec.endpoints, []);
  assert.deepEqual(row.spec.ports.map(({ number, name }) => [number, name]), [[80, "http"]]);
  assert.equal(sharedRow({ ...of, exported: undefined, imported: undefined }), undefined);
});

Deno.test("a row within its cluster says so, and differs from the exported one", () => {
  const row = withinCluster(exported);
  assert.equal(row.service?.clusterOnly, true);
  assert.notEqual(row.digest, exported.digest);
});
