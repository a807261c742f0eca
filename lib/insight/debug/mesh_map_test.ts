/** Tests of edges between services, and of ends of validity. */
import assert from "node:assert/strict";
import { debugInputs } from "../../../tests/support/debug_inputs.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { startWeb } from "../../kit/web/mod.ts";
import { allServices } from "./config.ts";
import { edgesOf, endsSoon } from "./mesh_map.ts";
import { type DebugInputs, debugRoutes } from "./mod.ts";
import { troublesOf } from "./troubles.ts";

const HEAD = "apiVersion: networking.mesh.io/v1";

const CONFIG = `${HEAD}
kind: ServiceEntry
metadata: {name: cart, namespace: shop}
spec:
  hosts: [cart.shop.svc.cluster.local, pay.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}, {address: 10.0.0.2}]
---
${HEAD}
kind: VirtualService
metadata: {name: routes, namespace: shop}
spec:
  hosts: [cart]
  gateways: [mesh, front, other/edge]
  http:
  - match: [{uri: {prefix: /pay}}]
    route:
    - {destination: {host: pay}, weight: 90}
    - {destination: {host: gone.example}, weight: 10}
    mirror: {host: pay}
  - route: [{destination: {host: cart}}]
`;

function inputsOf(over: Partial<DebugInputs> = {}): DebugInputs {
  const bench = startTranslation();
  bench.set(CONFIG);
  const objects = objectsOf(CONFIG);
  return debugInputs({ mesh: bench.translation.mesh, objects: () => objects, ...over });
}

const CART = "cart.shop.svc.cluster.local";
const PAY = "pay.shop.svc.cluster.local";

Deno.test("shares are parts of the weights of a rule, whatever these sum up to", () => {
  const config = CONFIG.replace("weight: 90", "weight: 3").replace("weight: 10", "weight: 1");
  const inputs = inputsOf({ objects: () => objectsOf(config) });
  const shares = edgesOf(inputs, allServices(inputs)).filter(({ from }) => from === CART)
    .map(({ to, weight, share }) => [to, weight, share]);
  assert.deepEqual(shares, [[PAY, 3, 75], ["gone.example", 1, 25], [PAY, 0, undefined]]);
});

Deno.test("edges lead from hosts and Gateways to destinations, with their shares", () => {
  const inputs = inputsOf();
  const edges = edgesOf(inputs, allServices(inputs));
  const shown = edges.map(({ from, to, kind, weight, known }) =>
    `${from} > ${to} ${kind} ${weight} ${known}`
  );
  const sources = ["Gateway/shop/front", "Gateway/other/edge", CART];
  assert.deepEqual(shown, [
    ...sources.map((from) => `${from} > ${PAY} http 90 true`),
    ...sources.map((from) => `${from} > gone.example http 10 false`),
    ...sources.map((from) => `${from} > ${PAY} mirror 0 true`),
    // An edge from a host to itself is none.
    ...sources.slice(0, 2).map((from) => `${from} > ${CART} http 0 true`),
  ]);
  assert.equal(edges[0]!.object, "VirtualService/shop/routes");
});

Deno.test("a certificate ends soon in the last tenth of its lifetime", () => {
  const one = { name: "c", notBefore: 0, notAfter: 1_000 };
  assert.deepEqual([0, 900, 901, 2_000].map((now) => endsSoon(one, now)), [
    false,
    false,
    true,
    true,
  ]);
  assert.ok(endsSoon({ name: "unreadable" }, 0));
  const troubles = (now: number) =>
    troublesOf(inputsOf({ now: () => now, certificates: () => [one] }))
      .map(({ tone, text }) => `${tone} ${text}`);
  assert.deepEqual(troubles(500), []);
  assert.match(troubles(950).join(), /^warn The c ends at 1970-01-01T00:00:01/);
  assert.match(troubles(2_000).join(), /^bad The c has ended at/);
});

Deno.test("services have pages with endpoints and edges; scripts get JSON; unknown ones near names", async () => {
  const routes = debugRoutes(inputsOf());
  const web = await startWeb({ name: "test", address: "127.0.0.1:0", routes });
  const get = async (path: string, accept = "text/html") => {
    const url = `http://127.0.0.1:${web.address.port}/debug/services${path}`;
    const answer = await fetch(url, { headers: { accept } });
    return { status: answer.status, body: await answer.text() };
  };
  try {
    const list = await get("");
    assert.match(list.body, /2 of 2 services/);
    assert.match(list.body, /unknown host/);
    assert.match(list.body, /<td[^>]*>90 %</);
    assert.ok(list.body.includes(`/debug/services/shop/${CART}`));
    const one = await get(`/shop/${CART}`);
    assert.match(one.body, /2 endpoints/);
    assert.ok(one.body.includes("10.0.0.2"));
    assert.ok(one.body.includes("/debug/objects/VirtualService/shop/routes"));
    const missing = await get("/shop/crt.shop.svc.cluster.local");
    assert.equal(missing.status, 404);
    assert.ok(missing.body.includes(`/debug/services/shop/${CART}`));
    const { services, edges } = JSON.parse((await get("", "*/*")).body);
    assert.deepEqual(services[0].endpoints, { healthy: 2, unhealthy: 0, draining: 0 });
    assert.equal(edges.length, 11);
  } finally {
    await web.stop(0);
  }
});
