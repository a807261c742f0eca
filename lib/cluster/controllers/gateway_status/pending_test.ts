/** The objects whose status is looked at again: those that a change concerns. */
import assert from "node:assert/strict";
import { isRouteKind } from "../../../mesh/gateway_api/mod.ts";
import { createGatewayApiTables } from "../../../../tests/support/gateway_api_tables.ts";
import { NO_STATUS, PendingStatus } from "./pending.ts";

const GATEWAY = `kind: Gateway
metadata: {name: g}
spec:
  gatewayClassName: mesh
  addresses: [{type: Hostname, value: front.example.org}]
  listeners: [{name: a, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
---
`;

function route(name: string, backend = "echo"): string {
  return `kind: HTTPRoute
metadata: {name: ${name}}
spec:
  parentRefs: [{name: g}]
  rules: [{backendRefs: [{name: ${backend}, port: 80}]}]
---
`;
}

/** Objects with their status; `looked` says which have to be looked at, and does it. */
function world(routes: number) {
  const { apply, graph, status } = createGatewayApiTables();
  const names = Array.from({ length: routes }, (_, i) => `r${i}`);
  apply(GATEWAY + names.map((name) => route(name)).join(""));
  const pending = new PendingStatus((kind, key, changed) => {
    if (kind === "Gateway") return graph.tap(status.gateways, key, changed);
    return isRouteKind(kind) ? graph.tap(status.routes, { kind, ...key }, changed) : NO_STATUS;
  });
  const put = (kind: string, name: string) => pending.put(kind, { namespace: "default", name });
  put("Gateway", "g");
  for (const name of names) put("HTTPRoute", name);
  const looked = () => {
    const objects = pending.objects();
    for (const object of objects) {
      object.status.read();
      pending.settle(object);
    }
    return objects.map(({ kind, name }) => `${kind}/${name}`).sort();
  };
  assert.equal(looked().length, routes + 1);
  return { apply, graph, pending, put, looked };
}

Deno.test("one changed route among many has its own status looked at", () => {
  const { apply, graph, put, looked } = world(500);
  assert.deepEqual(looked(), []);
  graph.resetStats();
  apply(route("r7", "none"));
  put("HTTPRoute", "r7");
  assert.deepEqual(looked().filter((name) => name.startsWith("HTTPRoute")), ["HTTPRoute/r7"]);
  assert.equal(graph.stats().computedByTable["gatewayApi.status.route"], 1);
  assert.deepEqual(looked(), []);
});

Deno.test("a further route has its own status and that of its parent looked at", () => {
  const { apply, put, looked } = world(100);
  apply(route("more"));
  put("HTTPRoute", "more");
  assert.deepEqual(looked(), ["Gateway/g", "HTTPRoute/more"]);
});

Deno.test("a changed Gateway has all its routes looked at, and a deleted route no longer", () => {
  const { apply, pending, looked } = world(10);
  pending.delete("HTTPRoute", { namespace: "default", name: "r3" });
  apply(GATEWAY.replace("port: 80", "port: 81"));
  assert.equal(looked().length, 10);
  assert.ok(!looked().includes("HTTPRoute/r3"));
  pending.putAll();
  assert.equal(looked().length, 10);
  pending.close();
  apply(GATEWAY);
  assert.equal(pending.size, 0);
});

Deno.test("an object stays to be looked at until its status is right", () => {
  const { put, pending, looked } = world(1);
  put("HTTPRoute", "r0");
  assert.equal(pending.objects().length, 1);
  assert.equal(pending.objects().length, 1);
  looked();
  assert.equal(pending.size, 0);
});
