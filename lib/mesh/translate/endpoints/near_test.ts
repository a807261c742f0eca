/** Services that use or prefer endpoints near the client: on its node, in its zone. */
import assert from "node:assert/strict";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { objectsOf, serviceFacts } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding, ServiceFacts } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

/** Address → node. The last node is in another zone. */
const NODES = { "10.0.0.1": "n1", "10.0.0.2": "n2", "10.0.0.3": "n3" } as const;

/** Sets a Service with an endpoint on each node. */
function setService(bench: Bench, name: string, facts: Partial<ServiceFacts>): void {
  const [object] = objectsOf(`apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one}
spec:
  hosts: [${name}.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints:
  - {address: 10.0.0.1, locality: r1/z1, ports: {http: 80}}
  - {address: 10.0.0.2, locality: r1/z1, ports: {http: 80}}
  - {address: 10.0.0.3, locality: r1/z2, ports: {http: 80}}
`);
  const change = changeOf(object!);
  const service = serviceFacts({
    endpoints: Object.values(NODES).map((node) => ({
      health: "healthy",
      namespace: "one",
      workload: "w",
      hostname: "",
      node,
      pod: true,
    })),
    ...facts,
  });
  const digest = JSON.stringify(service);
  bench.apply({ objects: [{ ...change, object: { ...change.object!, service, digest } }] });
}

/** A proxy on a node. */
function proxyOn(bench: Bench, node: string, ip: string = "172.16.0.1"): ProxyBinding {
  const locality = { region: "r1", zone: "z1", subzone: "" };
  const metadata = node === "" ? {} : { NODE_NAME: node };
  return bench.translation.source.bind(proxyNode("one", { ip, locality, metadata }), () => {});
}

/** Address → priority. */
function endpointsOf(binding: ProxyBinding, name: string): Record<string, number> {
  const resource = binding.view(TYPE_URLS.endpoint)!.get(`outbound|80||${name}.example`)!;
  const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, resource.bytes);
  return Object.fromEntries(
    endpoints.flatMap(({ priority, lbEndpoints }) =>
      lbEndpoints.map(({ hostIdentifier: host }) => {
        const address = host.case === "endpoint" ? host.value.address?.address : undefined;
        return [address?.case === "socketAddress" ? address.value.address : "", priority];
      })
    ),
  );
}

Deno.test("internalTrafficPolicy Local: proxies have the endpoints of their own node, or none", () => {
  const bench = startTranslation();
  setService(bench, "local", { nodeLocal: true });
  setService(bench, "plain", {});
  const first = proxyOn(bench, "n1");
  assert.deepEqual(endpointsOf(first, "local"), { "10.0.0.1": 0 });
  assert.deepEqual(endpointsOf(proxyOn(bench, "n2"), "local"), { "10.0.0.2": 0 });
  assert.deepEqual(endpointsOf(proxyOn(bench, "n9"), "local"), {});
  assert.deepEqual(endpointsOf(proxyOn(bench, ""), "local"), {});
  // The node of a proxy without metadata is that of the endpoint with its address.
  assert.deepEqual(endpointsOf(proxyOn(bench, "", "10.0.0.2"), "local"), { "10.0.0.2": 0 });
  assert.equal(Object.keys(endpointsOf(first, "plain")).length, 3);
  setService(bench, "local", { nodeLocal: false });
  assert.equal(Object.keys(endpointsOf(first, "local")).length, 3);
});

Deno.test("proxies of several nodes share the endpoints of services that do not depend on it", () => {
  const bench = startTranslation();
  setService(bench, "local", { nodeLocal: true });
  setService(bench, "plain", {});
  const [first, second] = ["n1", "n2"].map((node) =>
    proxyOn(bench, node).view(TYPE_URLS.endpoint)!
  );
  const name = "outbound|80||plain.example";
  assert.equal(first!.get(name)!.bytes, second!.get(name)!.bytes);
});

Deno.test("PreferSameNode: the node goes first, then the zone, then the region", () => {
  const bench = startTranslation();
  setService(bench, "near", { distribution: "same-node" });
  setService(bench, "zonal", { distribution: "same-zone" });
  const [first, second] = [proxyOn(bench, "n1"), proxyOn(bench, "n2")];
  assert.deepEqual(endpointsOf(first, "near"), { "10.0.0.1": 0, "10.0.0.2": 1, "10.0.0.3": 2 });
  assert.deepEqual(endpointsOf(second, "near"), { "10.0.0.1": 1, "10.0.0.2": 0, "10.0.0.3": 2 });
  assert.deepEqual(endpointsOf(first, "zonal"), { "10.0.0.1": 0, "10.0.0.2": 0, "10.0.0.3": 1 });
});

Deno.test("the annotation of a namespace is the preference of services that have none", () => {
  const bench = startTranslation();
  setService(bench, "plain", {});
  setService(bench, "zonal", { distribution: "same-zone" });
  const binding = proxyOn(bench, "n1");
  const namespace = (annotation: string): string =>
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: one, annotations: {${annotation}}}\n`;
  const annotation = "networking.mesh.io/traffic-distribution";
  bench.set(namespace(`${annotation}: PreferSameNode`));
  const byNode = { "10.0.0.1": 0, "10.0.0.2": 1, "10.0.0.3": 2 };
  const byZone = { "10.0.0.1": 0, "10.0.0.2": 0, "10.0.0.3": 1 };
  assert.deepEqual(endpointsOf(binding, "plain"), byNode);
  assert.deepEqual(endpointsOf(binding, "zonal"), byZone);
  bench.set(namespace(`${annotation}: PreferClose`));
  assert.deepEqual(endpointsOf(binding, "plain"), byZone);
  bench.set(namespace(""));
  assert.deepEqual(endpointsOf(binding, "plain"), { "10.0.0.1": 0, "10.0.0.2": 0, "10.0.0.3": 0 });
});
