/** Ports of one number: UDP makes way for others. */
import assert from "node:assert/strict";
import { meshOf, objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { clone } from "../../../kit/proto/mod.ts";
import {
  type ServiceEntry,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { mergedPorts, portNames } from "./ports.ts";

const KEY = { namespace: "kube-system", host: "dns.example" };

/** A ServiceEntry with these ports; its endpoint has a port of its own for each name. */
function entry(name: string, ports: string, own: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: kube-system}
spec:
  hosts: [dns.example]
  resolution: STATIC
  ports: [${ports}]
  endpoints: [{address: 10.1.0.1, ports: {${own}}}]
`;
}

const UDP = "{number: 53, name: dns, protocol: UDP}";
const TCP = "{number: 53, name: dns-tcp, protocol: TCP}";

const CASES: readonly [name: string, documents: readonly string[]][] = [
  ["the UDP port is younger", [entry("a", TCP, "dns-tcp: 5353"), entry("b", UDP, "dns: 53")]],
  ["the UDP port is older", [entry("a", UDP, "dns: 53"), entry("b", TCP, "dns-tcp: 5353")]],
];

for (const [name, documents] of CASES) {
  Deno.test(`a TCP port has its own name and endpoints, where ${name}`, () => {
    const { graph, services } = meshOf(documents.join("---\n"));
    const ports = graph.peek(services.service, KEY)?.ports ?? [];
    assert.deepEqual(ports.map((port) => [port.number, port.name, port.protocol]), [
      [53, "dns-tcp", "TCP"],
    ]);
    const endpoints = graph.peek(services.endpoints, KEY).map((one) => one.ports);
    assert.deepEqual(endpoints.filter((one) => Object.keys(one).length > 0), [{ "dns-tcp": 5353 }]);
  });
}

Deno.test("a Service has a UDP and a TCP port of one number: the TCP port is served", () => {
  const object = objectsOf(entry("a", TCP, "dns-tcp: 5353"))[0] as ConfigObject<ServiceEntry>;
  const spec = clone(ServiceEntrySchema, object.spec);
  // A ServiceEntry may not have both, a Service of an orchestrator may.
  const [tcp] = spec.ports;
  const udp = { ...tcp!, name: "dns", protocol: "UDP" };
  for (const ports of [[udp, tcp!], [tcp!, udp]]) {
    const row = { ...object, spec: { ...spec, ports } };
    const merged = mergedPorts([row]);
    assert.deepEqual(merged.map(({ name, protocol }) => [name, protocol]), [["dns-tcp", "TCP"]]);
    assert.deepEqual([...portNames(row, merged)], [["dns-tcp", "dns-tcp"]]);
  }
  const row = { ...object, spec: { ...spec, ports: [udp] } };
  assert.deepEqual(mergedPorts([row]).map(({ protocol }) => protocol), ["UDP"]);
});
