/** Tests of the map: nodes with their marks, edges from configuration and traffic, its pages. */
import assert from "node:assert/strict";
import { debugInputs, debugSession } from "../../../../tests/support/debug_inputs.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import {
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import { startWeb } from "../../../kit/web/mod.ts";
import type { Traffic } from "../../monitor/mod.ts";
import { type DebugInputs, debugRoutes } from "../mod.ts";
import { mapOf, type MapView, namespacesOf } from "./mod.ts";

const HEAD = "apiVersion: networking.mesh.io/v1";

function entry(name: string, namespace: string, endpoints: string, more = ""): string {
  return `${HEAD}
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: [${name}.${namespace}.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [${endpoints}]
${more}---
`;
}

const at = (address: string, zone: string, app: string) =>
  `{address: ${address}, locality: ${zone}, serviceAccount: ${app}, labels: {app: ${app}}}`;

const CONFIG =
  entry("cart", "shop", `${at("10.0.0.1", "r/a", "cart")}, ${at("10.0.0.2", "r/b", "cart")}`) +
  entry("pay", "shop", "{address: 10.0.0.3}") +
  entry("books", "shop", at("10.0.0.4", "r/a", "books")) +
  entry("bank", "far", at("10.0.1.1", "", "bank")) +
  entry("idle", "far", "") + `${HEAD}
kind: Gateway
metadata: {name: front, namespace: shop}
spec:
  selector: {app: front}
  servers:
  - {port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}
---
${HEAD}
kind: VirtualService
metadata: {name: routes, namespace: shop}
spec:
  hosts: [cart]
  gateways: [mesh, front.shop.svc.cluster.local]
  http:
  - route:
    - {destination: {host: pay}, weight: 90}
    - {destination: {host: gone.example}, weight: 10}
    mirror: {host: bank.far.svc.cluster.local}
---
${HEAD}
kind: Sidecar
metadata: {name: books, namespace: shop}
spec:
  workloadSelector: {labels: {app: books}}
  egress: [{hosts: ["./cart.shop.svc.cluster.local"]}]
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  mtls: {mode: STRICT}
`;

const CART = "shop/cart.shop.svc.cluster.local";
const PAY = "shop/pay.shop.svc.cluster.local";
const BOOKS = "shop/books.shop.svc.cluster.local";
const BANK = "far/bank.far.svc.cluster.local";
const FRONT = "Gateway/shop/front";

/** A connected gateway proxy. */
function gatewayProxy(namespace: string): SessionInfo {
  const node = proxyNode(namespace, {
    metadata: { WORKLOAD_NAME: "front" },
    locality: { region: "r", zone: "c", subzone: "" },
  });
  return debugSession({
    classKey: JSON.stringify({ role: "router", namespace, labels: { app: "front" }, targets: [] }),
    node,
  });
}

function inputsOf(config = CONFIG, over: Partial<DebugInputs> = {}): DebugInputs {
  const bench = startTranslation();
  bench.set(config);
  const objects = objectsOf(config);
  return debugInputs({ mesh: bench.translation.mesh, objects: () => objects, ...over });
}

const shownEdges = ({ edges }: MapView) =>
  edges.map(({ from, to, kind, label, tone }) => `${from} > ${to} ${kind} ${label} ${tone}`).sort();

Deno.test("the map of a namespace has its services and Gateways, and what is at the other ends of edges", () => {
  const view = mapOf(inputsOf(), { namespace: "shop" }, undefined);
  assert.deepEqual(
    view.nodes.map(({ id }) => id).sort(),
    [
      BANK,
      FRONT,
      BOOKS,
      CART,
      PAY,
      "gone.example",
    ].sort(),
  );
  assert.deepEqual(
    shownEdges(view),
    [
      `${FRONT} > ${BANK} mirror mirror plain`,
      `${FRONT} > ${PAY} configuration 90 % plain`,
      `${FRONT} > gone.example configuration 10 % bad`,
      `${BOOKS} > ${CART} import  plain`,
      // By the VirtualService of the imported host.
      `${BOOKS} > ${BANK} import  plain`,
      `${BOOKS} > ${PAY} import  plain`,
      `${CART} > ${BANK} mirror mirror plain`,
      `${CART} > ${PAY} configuration 90 % plain`,
      `${CART} > gone.example configuration 10 % bad`,
    ].sort(),
  );
  const imported = view.edges.find(({ kind }) => kind === "import")!;
  assert.equal(imported.object, "Sidecar/shop/books");
});

Deno.test("nodes are marked: mutual TLS, endpoints, zones, what does not exist", () => {
  const sessions = [gatewayProxy("shop"), gatewayProxy("far")];
  const shop = mapOf(
    inputsOf(CONFIG, { sessions: () => sessions }),
    { namespace: "shop" },
    undefined,
  );
  const marks = Object.fromEntries(
    shop.nodes.map(({ id, marks }) => [id, marks.map(({ text, tone }) => `${text} (${tone})`)]),
  );
  assert.deepEqual(marks, {
    [CART]: ["mTLS strict (good)", "2 endpoints · a, b (plain)"],
    [PAY]: ["mTLS none (plain)", "1 endpoint (plain)"],
    [BOOKS]: ["mTLS permissive (plain)", "1 endpoint · a (plain)"],
    [BANK]: ["in far (plain)", "mTLS permissive (plain)", "1 endpoint (plain)"],
    [FRONT]: ["80 HTTP (plain)", "2 proxies · c (plain)"],
    "gone.example": ["no service has this host (bad)"],
  });
  const far = mapOf(inputsOf(), { namespace: "far" }, undefined);
  const idle = far.nodes.find(({ name }) => name.startsWith("idle"))!;
  assert.deepEqual(idle.marks, [{ text: "no endpoint", tone: "warn" }]);
  // A Gateway that is scoped to its namespace has only the proxies there.
  const scoped = inputsOf(CONFIG, { sessions: () => sessions, scopedGateways: true });
  const front = mapOf(scoped, { namespace: "shop" }, undefined).nodes.find(({ id }) =>
    id === FRONT
  )!;
  assert.equal(front.instances.text, "1 proxy");
});

const TRAFFIC: Traffic = {
  edges: [
    { from: "cart.shop", to: "pay.shop.svc.cluster.local", rate: 2, errors: 0.5, mutual: 1 },
    { from: "front.shop", to: "cart.shop.svc.cluster.local", rate: 120, errors: 0 },
    { from: "unknown", to: "cart.shop.svc.cluster.local", rate: 1, errors: 0.01 },
    { from: "stranger.far", to: "bank.far.svc.cluster.local", rate: 1, errors: 0 },
  ],
};

Deno.test("seen traffic leads from services and Gateways, with its errors", () => {
  const named = CONFIG.replaceAll(
    "labels: {app: cart}}",
    "labels: {app: cart, service.mesh.io/workload-name: cart}}",
  );
  const inputs = inputsOf(named, { sessions: () => [gatewayProxy("shop")] });
  const view = mapOf(inputs, { namespace: "shop" }, TRAFFIC);
  const seen = view.edges.filter(({ kind }) => kind === "seen");
  assert.deepEqual(seen.map(({ from, to, label, tone, text }) => [from, to, label, tone, text]), [
    [
      CART,
      PAY,
      "50 % errors",
      "bad",
      "seen from cart.shop: 2.00 requests/s, 50 % errors, mutual TLS",
    ],
    [FRONT, CART, "120/s", "plain", "seen from front.shop: 120 requests/s"],
    [
      "workload unknown",
      CART,
      "1.0 % errors",
      "warn",
      "seen from unknown: 1.00 requests/s, 1.0 % errors",
    ],
  ]);
  const node = (id: string) => view.nodes.find((one) => one.id === id)!;
  assert.deepEqual(node(PAY).troubles, [{ text: "50 % errors seen", tone: "bad" }]);
  assert.deepEqual(node(CART).troubles, [{ text: "< 0.1 % errors seen", tone: "warn" }]);
  const { kind, label } = node("workload unknown");
  assert.deepEqual([kind, label], ["workload", "clients without proxy"]);
});

const TUNNEL = "networking.mesh.io/tunnel: http";
const AMBIENT = `${HEAD}
kind: WorkloadEntry
metadata: {name: w1, namespace: shop, labels: {app: w, ${TUNNEL}, security.mesh.io/tlsMode: disabled}}
spec: {address: 10.0.0.7, serviceAccount: w}
---
${HEAD}
kind: WorkloadEntry
metadata: {name: s1, namespace: shop, labels: {app: s, security.mesh.io/tlsMode: mesh}}
spec: {address: 10.0.0.8}
---
${HEAD}
kind: ServiceEntry
metadata: {name: w, namespace: shop, labels: {mesh.io/use-waypoint: wp}}
spec:
  hosts: [w.example]
  addresses: [240.0.0.1]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: w}}
---
${HEAD}
kind: ServiceEntry
metadata: {name: front, namespace: shop}
spec:
  hosts: [wp-mesh-waypoint.shop.svc.cluster.local]
  ports: [{number: 15008, name: mesh, protocol: TLS}]
  resolution: STATIC
  endpoints: [{address: 10.1.0.1}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: wp, namespace: shop}
spec:
  gatewayClassName: mesh-waypoint
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
`;

/** The inputs of a mesh in ambient mode. */
function ambientInputs(config: string): DebugInputs {
  const bench = startTranslation(undefined, featuresWith({ PILOT_ENABLE_AMBIENT: "true" }));
  bench.set(config);
  return debugInputs({
    mesh: bench.translation.mesh,
    objects: () => objectsOf(config),
    bind: (node) => bench.translation.source.bind(node, () => {}),
  });
}

Deno.test("two waypoints of a service have edges with their shares", () => {
  const [front, gateway] = AMBIENT.split("---\n").slice(-2) as [string, string];
  const named = AMBIENT.replace(
    "labels: {mesh.io/use-waypoint: wp}",
    "labels: {mesh.io/use-waypoint: wp, mesh.io/use-waypoint-canary: second}, " +
      'annotations: {mesh.io/use-waypoint-canary-weight: "20"}',
  );
  const second = [
    front.replace("name: front", "name: front-2").replace("wp-mesh", "second-mesh"),
    gateway.replace("name: wp", "name: second"),
  ];
  const config = [named, ...second].join("---\n");
  assert.deepEqual(shownEdges(mapOf(ambientInputs(config), { namespace: "shop" }, undefined)), [
    "shop/second-mesh-waypoint.shop.svc.cluster.local > shop/w.example waypoint 20 % plain",
    "shop/wp-mesh-waypoint.shop.svc.cluster.local > shop/w.example waypoint 80 % plain",
  ]);
});

Deno.test("in ambient mode the map has tunnels, waypoints and the workloads of its namespace", () => {
  const inputs = ambientInputs(AMBIENT);
  const view = mapOf(inputs, { namespace: "shop" }, undefined);
  const { nodes, workloads = [] } = view;
  const front = "shop/wp-mesh-waypoint.shop.svc.cluster.local";
  assert.deepEqual(shownEdges(view), [`${front} > shop/w.example waypoint  plain`]);
  assert.equal(view.edges[0]!.object, "Gateway/shop/wp");
  const service = nodes.find(({ id }) => id === "shop/w.example");
  assert.deepEqual(service?.security, {
    text: "HBONE · waypoint wp",
    tone: "good",
  });
  assert.deepEqual(
    workloads.map(({ name, protocol, proxy, waypoint }) => [name, protocol, proxy, waypoint]),
    [
      ["front", "plain text", "none", ""],
      ["s1", "mutual TLS", "its own", ""],
      ["w1", "HBONE", "of its node", "wp-mesh-waypoint.shop.svc.cluster.local"],
    ],
  );
  assert.equal(mapOf(inputsOf(), { namespace: "shop" }, undefined).workloads, undefined);
});

Deno.test("a map says that traffic is not seen, and why", () => {
  const inputs = inputsOf();
  const seen = (traffic: Traffic | undefined) => mapOf(inputs, { namespace: "shop" }, traffic).seen;
  assert.match(seen(undefined), /not seen: .*MESH_PROMETHEUS_ADDRESS/);
  assert.match(seen({ fault: "http://x did not answer" }), /not seen: http:\/\/x did not answer/);
  assert.match(seen({ edges: [] }), /No request was seen/);
});

Deno.test("the map of a service has its neighbours alone", () => {
  const view = mapOf(inputsOf(), { service: CART }, undefined);
  assert.deepEqual(
    view.nodes.map(({ id }) => id).sort(),
    [BANK, BOOKS, CART, PAY, "gone.example"].sort(),
  );
  assert.deepEqual(view.nodes.filter(({ focus }) => focus).map(({ id }) => id), [CART]);
  assert.ok(view.edges.every(({ from, to }) => from === CART || to === CART));
});

Deno.test("a Sidecar that imports many services makes no edges, and is counted", () => {
  const many = Array.from({ length: 14 }, (_, n) => entry(`s${n}`, "shop", "{address: 10.0.2.1}"))
    .join("");
  const all = CONFIG.replace(`"./cart.shop.svc.cluster.local"`, `"./*"`);
  const view = mapOf(inputsOf(many + all), { namespace: "shop" }, undefined);
  assert.equal(view.wide, 1);
  assert.deepEqual(view.edges.filter(({ kind }) => kind === "import"), []);
});

Deno.test("namespaces are counted with their edges to the outside", () => {
  assert.deepEqual(namespacesOf(inputsOf()), [
    { namespace: "far", services: 2, gateways: 0, outside: 2, broken: 0 },
    { namespace: "shop", services: 3, gateways: 1, outside: 4, broken: 2 },
  ]);
});

Deno.test("pages of the map: a choice, a picture with its text, 1,000 services, near names, JSON", async () => {
  const hundreds = Array.from(
    { length: 1_000 },
    (_, n) => entry(`many-${n}`, "many", `{address: 10.1.${n % 250}.1}`),
  ).join("");
  const inputs = inputsOf(hundreds + CONFIG);
  const web = await startWeb({ name: "test", address: "127.0.0.1:0", routes: debugRoutes(inputs) });
  const get = async (query: string, accept = "text/html") => {
    const url = `http://127.0.0.1:${web.address.port}/debug/map${query}`;
    const answer = await fetch(url, { headers: { accept } });
    return { status: answer.status, body: await answer.text() };
  };
  try {
    assert.match((await get("")).body, /3 namespaces[^]*\?namespace=shop/);
    const { body } = await get("?namespace=shop");
    assert.match(
      body,
      /<svg class="picture graph"[^>]*role="group"[^>]*aria-labelledby="map-title"/,
    );
    assert.match(body, /<desc id="map-desc">6 nodes, 9 lines, 1 node with troubles/);
    assert.match(body, /Traffic is not seen/);
    assert.match(body, /<caption>Nodes \(6\)/);
    assert.match(
      body,
      /<td data-label="What"><span class="badge bad">http, 10 %, no service has this host/,
    );
    const many = await get("?namespace=many");
    assert.equal(many.body.match(/<a class="node/g)?.length, 40);
    assert.match(many.body, /960 nodes more, not drawn/);
    assert.match(many.body, /many-777\.many/);
    const service = await get(`?service=${encodeURIComponent(CART)}`);
    assert.match(service.body, /Neighbours of cart\.shop\.svc/);
    assert.match(service.body, /<text class="label"[^>]*>cart<\/text>/);
    for (const query of ["?namespace=shp", `?service=${encodeURIComponent("shop/crt")}`]) {
      const missing = await get(query);
      assert.equal(missing.status, 404);
      assert.match(missing.body, /Similar names[^]*shop/);
    }
    const json = await get("?namespace=shop", "application/json");
    assert.equal((JSON.parse(json.body) as MapView).edges.length, 9);
    assert.equal(JSON.parse((await get("", "*/*")).body).namespaces.length, 3);
  } finally {
    await web.stop(0);
  }
});
