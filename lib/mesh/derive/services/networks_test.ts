import assert from "node:assert/strict";
import { meshOf, objectsOf, serviceFacts } from "../../../../tests/support/mesh_fixture.ts";
import { type ConfigObject, objectKey, type ServiceFacts } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { MESH_ROW } from "../inputs/mod.ts";

const SERVICE = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: gw, namespace: shop}
spec:
  hosts: [gw.shop.svc.cluster.local]
  addresses: [10.0.0.1]
  resolution: STATIC
  ports: [{number: 15443, name: tls, protocol: TLS}]
  endpoints: [{address: 10.2.0.1}]
`;

/** Gateways of a network that names a Service with these facts. */
function gatewaysOf(facts: Partial<ServiceFacts>, host = "GW.shop.svc.cluster.local"): string[] {
  const mesh = meshOf("");
  const [object] = objectsOf(SERVICE) as ConfigObject<ServiceEntry>[];
  const service = serviceFacts({
    endpoints: [{
      health: "healthy",
      namespace: "shop",
      workload: "gw",
      hostname: "",
      node: "",
      pod: true,
    }],
    ...facts,
  });
  const gw = { case: "registryServiceName" as const, value: host };
  mesh.graph.transaction((tx) => {
    tx.set(
      mesh.tables.networks,
      MESH_ROW,
      create(MeshNetworksSchema, { networks: { n2: { gateways: [{ gw, port: 15443 }] } } }),
    );
    tx.set(mesh.tables.serviceEntries, objectKey(object!.meta), { ...object!, service });
  });
  const found = mesh.graph.peek(mesh.networks.all, "").gateways.get("n2") ?? [];
  return found.map(({ address, port }) => `${address}:${port}`);
}

const CASES: readonly [name: string, facts: Partial<ServiceFacts>, expected: readonly string[]][] =
  [
    ["without external addresses it is reached at its own", {}, ["10.0.0.1:15443"]],
    ["external addresses come first", {
      externalAddresses: ["192.0.2.1", "192.0.2.2"],
    }, ["192.0.2.1:15443", "192.0.2.2:15443"]],
    ["a name that is not resolved is left out", {
      externalAddresses: ["lb.test", "192.0.2.1"],
    }, ["192.0.2.1:15443"]],
    ["with unresolved names alone there is no gateway", { externalAddresses: ["lb.test"] }, []],
    ["nodes have another port", {
      externalAddresses: ["198.51.100.7"],
      nodePorts: { 15443: 30443 },
    }, ["198.51.100.7:30443"]],
    ["a port that nodes do not have is no gateway", {
      externalAddresses: ["198.51.100.7"],
      nodePorts: { 80: 30080 },
    }, []],
  ];

for (const [name, facts, expected] of CASES) {
  Deno.test(`a Service that a network names as its gateway: ${name}`, () => {
    assert.deepEqual(gatewaysOf(facts), expected);
  });
}

Deno.test("a network that names an unknown Service has no gateway", () => {
  assert.deepEqual(gatewaysOf({}, "unknown.shop.svc.cluster.local"), []);
});

Deno.test("a Service with the label of a network is its gateway, at the port of its label", () => {
  const gateways = (labels: Record<string, string>) => {
    const mesh = meshOf("");
    const [object] = objectsOf(SERVICE) as ConfigObject<ServiceEntry>[];
    const service = serviceFacts({ externalAddresses: ["192.0.2.1"] });
    const meta = { ...object!.meta, labels: { "topology.mesh.io/network": "n2", ...labels } };
    mesh.graph.transaction((tx) => {
      tx.set(mesh.tables.serviceEntries, objectKey(meta), { ...object!, meta, service });
    });
    const found = mesh.graph.peek(mesh.networks.all, "").gateways.get("n2") ?? [];
    return found.map(({ address, port }) => `${address}:${port}`);
  };
  assert.deepEqual(gateways({}), ["192.0.2.1:15443"]);
  assert.deepEqual(gateways({ "networking.mesh.io/gatewayPort": "443" }), ["192.0.2.1:443"]);
  assert.deepEqual(gateways({ "networking.mesh.io/gatewayPort": "none" }), []);
});

const API = "apiVersion: gateway.networking.k8s.io/v1";

function gatewayOf(name: string, className: string, more: string): string {
  return `${API}
kind: Gateway
metadata: {name: ${name}, namespace: shop, labels: {topology.mesh.io/network: ${name}}}
spec:
  gatewayClassName: ${className}
  ${more}
`;
}

const CROSS = `listeners:
  - {name: cross, port: 15443, protocol: TLS, tls: {mode: Passthrough}}
  - {name: other, port: 443, protocol: TLS, tls: {mode: Passthrough}}
  - {name: http, port: 80, protocol: HTTP}
`;

Deno.test("Gateways of the Gateway API with the label of a network are gateways of it", () => {
  const objects = [
    gatewayOf(
      "n3",
      "mesh-remote",
      `addresses: [{value: 9.9.9.9}, {type: Hostname, value: a.b}]
  ${CROSS}`,
    ),
    gatewayOf(
      "n4",
      "mesh",
      `addresses: [{type: Hostname, value: gw.shop.svc.cluster.local}]
  ${CROSS}`,
    ),
    gatewayOf(
      "n5",
      "of-others",
      `addresses: [{value: 9.9.9.8}]
  ${CROSS}`,
    ),
    SERVICE,
  ].join("---\n");
  const found = (options: { readonly discoverNetworkGateways?: boolean }) => {
    const mesh = meshOf(objects, options);
    const row = mesh.tables.serviceEntries.peek("shop/gw")!;
    const service = serviceFacts({ externalAddresses: ["1.2.3.4", "lb.example"] });
    mesh.graph.transaction((tx) =>
      tx.set(mesh.tables.serviceEntries, "shop/gw", { ...row, digest: "with facts", service })
    );
    return Object.fromEntries(mesh.graph.peek(mesh.networks.all, "").gateways);
  };
  assert.deepEqual(found({}), {
    n3: [{ address: "9.9.9.9", port: 15443 }],
    n4: [{ address: "1.2.3.4", port: 15443 }],
  });
  assert.deepEqual(found({ discoverNetworkGateways: false }), {});
});
