import assert from "node:assert/strict";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

function gateway(name: string): string {
  return `apiVersion: networking.mesh.io/v1

kind: Gateway

metadata: {name: ${name}, namespace: one}

spec:
  selector: {app: gw}
  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: [a.example]}]

`;
}

Deno.test("rules of every Gateway that shares a port are served, whichever is older", () => {
  const bench = startTranslation();
  bench.set([
    gateway("first"),
    gateway("second"),
    `apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example]
  gateways: [first, second]
  http:
  - {name: one, match: [{uri: {prefix: /one}, gateways: [first]}], route: [{destination: {host: x}}]}
  - {name: two, match: [{uri: {prefix: /two}, gateways: [second]}], route: [{destination: {host: x}}]}
  - {name: three, match: [{uri: {prefix: /no}, gateways: [mesh]}], route: [{destination: {host: x}}]}

`,
  ].join("---\n"));
  const node = proxyNode("one", { role: "router", labels: { app: "gw" } });
  const binding = bench.translation.source.bind(node, () => {});
  const table = binding.view(TYPE_URLS.route)!.get("http.8080")!;
  const [host] = fromBinary(RouteConfigurationSchema, table.bytes).virtualHosts;
  assert.equal(host?.name, "a.example:8080");
  assert.deepEqual(host.routes.map((r) => r.name), ["one", "two"]);
});
