/** Tunnels (HBONE) and waypoints in the resources of proxies. */
import assert from "node:assert/strict";
import {
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { type Any, AnySchema, create, SERVED_TYPES, toJson } from "../../kit/proto/mod.ts";
import type { ProxyNode } from "../model/mod.ts";
import { parseMeshConfig } from "../schema/mod.ts";
import { TYPE_URLS } from "./resources/mod.ts";

const SENDING = { PILOT_ENABLE_SENDING_HBONE: "true" };
const LISTENING = { PILOT_ENABLE_SIDECAR_LISTENING_HBONE: "true" };
const AMBIENT = { PILOT_ENABLE_AMBIENT: "true" };

const entry = (
  name: string,
  vip: string,
  endpoint: string,
  ...[more = "", labels = ""]: string[]
): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata:
  name: ${name}
  namespace: one
  labels: {${labels}}
  annotations: {mesh.io/use-waypoint-canary-weight: "25"}
spec:
  hosts: [${name}.example]
  addresses: [${vip}]
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: ${endpoint}, serviceAccount: ${name}, labels: {${more}}}]
`;

const TUNNEL = "networking.mesh.io/tunnel: http";
const PLAIN = "security.mesh.io/tlsMode: disabled";

const SERVICES = [
  entry("far", "240.0.0.1", "10.0.0.1", `${TUNNEL}, ${PLAIN}`),
  entry("both", "240.0.0.2", "10.0.0.2", TUNNEL),
  entry("plain", "240.0.0.3", "10.0.0.3", PLAIN),
].join("---\n");

const CERTIFIED = { AGENT_CERTIFICATES: "true" };

type Seen = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Resources by type and name, as text; and what changes later. */
function proxyOf(env: Record<string, string>, node: ProxyNode, config = "{}") {
  const bench = startTranslation(parseMeshConfig(config, "mesh").value, featuresWith(env));
  bench.set(SERVICES);
  const binding = bench.translation.source.bind(node, () => {});
  const look = (): Seen =>
    Object.fromEntries(
      Object.entries(TYPE_URLS).map(([type, typeUrl]) => [
        type,
        Object.fromEntries(
          [...binding.view(typeUrl)?.entries() ?? []].map(({ name, bytes }) => {
            const any: Any = create(AnySchema, { typeUrl, value: bytes });
            return [name, JSON.stringify(toJson(AnySchema, any, { registry: SERVED_TYPES }))];
          }),
        ),
      ]),
    );
  return { bench, look };
}

const seenBy = (env: Record<string, string>, node: ProxyNode, config?: string): Seen =>
  proxyOf(env, node, config).look();

const tunnelled = ({ endpoint }: Seen): string[] =>
  Object.entries(endpoint!).filter(([, text]) => text.includes("connect_originate"))
    .map(([name]) => name.slice(name.lastIndexOf("|") + 1)).sort();

const node = (metadata: Record<string, unknown> = CERTIFIED, more: Partial<ProxyNode> = {}) =>
  proxyNode("one", { metadata, ...more });

Deno.test("proxies send through tunnels where variables, metadata and workloads agree", () => {
  const cases: [env: Record<string, string>, node: ProxyNode, expected: string[]][] = [
    [{}, node(), []],
    [SENDING, node(), ["far.example"]],
    [AMBIENT, node(), ["far.example"]],
    [{ ...AMBIENT, PILOT_ENABLE_SENDING_HBONE: "false" }, node(), []],
    [{ ...SENDING, PILOT_PREFER_SENDING_HBONE: "true" }, node(), ["both.example", "far.example"]],
    [SENDING, node({ ...CERTIFIED, DISABLE_HBONE_SEND: "true" }), []],
    [SENDING, node({}), []],
    [SENDING, node(CERTIFIED, { role: "router" }), ["far.example"]],
  ];
  for (const [env, proxy, expected] of cases) {
    const seen = seenBy(env, proxy);
    const what = JSON.stringify([env, proxy.metadata]);
    assert.deepEqual(tunnelled(seen), expected, what);
    const sends = expected.length > 0;
    assert.equal(seen.listener!.connect_originate !== undefined, sends, what);
    assert.equal(seen.cluster!.connect_originate !== undefined, sends, what);
  }
});

Deno.test("an endpoint names the identity at the end of its tunnel", () => {
  const { endpoint } = seenBy(SENDING, node());
  assert.match(
    endpoint!["outbound|80||far.example"]!,
    /"local":"10.0.0.1:80","identity":"spiffe:\/\/cluster.local\/ns\/one\/sa\/far"/,
  );
});

Deno.test("sidecars accept tunnels where a variable and their metadata agree", () => {
  const asking = { ...CERTIFIED, ENABLE_HBONE: "true" };
  const cases: [env: Record<string, string>, node: ProxyNode, listens: boolean][] = [
    [{}, node(asking), false],
    [LISTENING, node(asking), true],
    [LISTENING, node(), false],
    [LISTENING, node({ ENABLE_HBONE: "true" }), false],
    [AMBIENT, node(asking), true],
    [LISTENING, node(asking, { role: "router" }), false],
  ];
  for (const [env, proxy, listens] of cases) {
    const { listener, cluster } = seenBy(env, proxy);
    const what = JSON.stringify([env, proxy.metadata]);
    assert.equal(listener!.connect_terminate !== undefined, listens, what);
    assert.equal(listener!.main_internal !== undefined, listens, what);
    assert.equal(cluster!.main_internal !== undefined, listens, what);
  }
});

Deno.test("no tunnel leads to the machine of a proxy, or to its own ports", () => {
  const { listener } = seenBy(LISTENING, node({ ...CERTIFIED, ENABLE_HBONE: "true" }));
  const { filterChains } = JSON.parse(listener!.main_internal!) as {
    filterChains: { name: string; filterChainMatch?: Record<string, unknown> }[];
  };
  const text = JSON.stringify(filterChains.find(({ name }) => name.endsWith("-machine")));
  for (const range of ["127.0.0.0", "0.0.0.0", "::"]) assert.ok(text.includes(`"${range}"`), range);
  assert.match(text, /BlackHoleCluster/);
  const closed = filterChains.filter(({ name }) => name.includes("-closed-"));
  assert.deepEqual(
    closed.map(({ filterChainMatch }) => filterChainMatch?.destinationPort),
    [15001, 15006, 15008],
  );
});

Deno.test("hboneIdleTimeout is the idle timeout of tunnels", () => {
  const proxy = node({ ...CERTIFIED, ENABLE_HBONE: "true" });
  const { listener, cluster } = seenBy(AMBIENT, proxy, "{hboneIdleTimeout: 77s}");
  assert.match(listener!.connect_terminate!, /"streamIdleTimeout":"77s"/);
  assert.match(listener!.connect_originate!, /"idleTimeout":"77s"/);
  assert.match(cluster!.connect_originate!, /"idleTimeout":"77s"/);
});

const gateway = (name: string, more = ""): string =>
  `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: one ${more}}
spec:
  gatewayClassName: mesh-waypoint
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}-front, namespace: one}
spec:
  hosts: [${name}-mesh-waypoint.one.svc.cluster.local]
  ports: [{number: 15008, name: mesh, protocol: TLS}]
  resolution: STATIC
  endpoints: [{address: ${name === "wp" ? "10.1.0.1" : "10.1.0.2"}, serviceAccount: ${name}}]
`;

const USE = "mesh.io/use-waypoint: wp";
const WAYPOINT = node(CERTIFIED, { role: "waypoint" });
const waypointNode: ProxyNode = {
  ...WAYPOINT,
  metadata: {
    ...CERTIFIED,
    LABELS: { "gateway.networking.k8s.io/gateway-name": "wp" },
  },
};

const rule = (host: string, retries: number): string =>
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${host}, namespace: one}
spec:
  hosts: [${host}.example]
  http: [{route: [{destination: {host: ${host}.example}}], retries: {attempts: ${retries}}}]
`;

/** Names of resources that differ. */
function changed(before: Seen, after: Seen): string[] {
  return Object.keys(after).flatMap((type) => {
    const names = new Set([...Object.keys(before[type]!), ...Object.keys(after[type]!)]);
    return [...names].filter((name) => before[type]![name] !== after[type]![name])
      .map((name) => `${type} ${name}`);
  }).sort();
}

Deno.test("a change of one service at a waypoint changes that service alone", () => {
  const { bench, look } = proxyOf(AMBIENT, waypointNode);
  bench.set([
    gateway("wp"),
    entry("far", "240.0.0.1", "10.0.0.1", `${TUNNEL}, ${PLAIN}`, USE),
    entry("both", "240.0.0.2", "10.0.0.2", TUNNEL, USE),
    rule("far", 1),
    rule("both", 1),
  ].join("---\n"));
  const before = look();
  assert.deepEqual(Object.keys(before.route!).sort(), [
    "inbound-vip|80|http|both.example",
    "inbound-vip|80|http|far.example",
  ]);
  bench.set(rule("far", 5));
  const after = look();
  assert.deepEqual(changed(before, after), ["route inbound-vip|80|http|far.example"]);
  bench.set(entry("both", "240.0.0.2", "10.0.0.9", TUNNEL, USE));
  assert.deepEqual(changed(after, look()), ["endpoint outbound|80||both.example"]);
  bench.set(rule("plain", 2));
  assert.deepEqual(Object.keys(look().route!).length, 2, "a service that is not bound to it");
});

Deno.test("a waypoint of traffic none, and one that does not exist, serve nothing", () => {
  for (const documents of ["", gateway("wp", ", labels: {mesh.io/waypoint-for: none}")]) {
    const { bench, look } = proxyOf(AMBIENT, waypointNode);
    const service = entry("far", "240.0.0.1", "10.0.0.1", `${TUNNEL}, ${PLAIN}`, USE);
    bench.set([service, ...documents === "" ? [] : [documents]].join("---\n"));
    const { route, listener } = look();
    assert.deepEqual(Object.keys(route!), []);
    // Envoy rejects a listener without chains.
    assert.match(listener!.main_internal!, /"filterChains":\[\{"name":"nothing-bound"\}\]/);
  }
});

Deno.test("gateways reach a service through its waypoints, by their weights", () => {
  const router = node(CERTIFIED, { role: "router" });
  const labels =
    `${USE}, mesh.io/use-waypoint-canary: second, mesh.io/ingress-use-waypoint: "true"`;
  const documents = [
    gateway("wp"),
    gateway("second"),
    entry("far", "240.0.0.1", "10.0.0.1", `${TUNNEL}, ${PLAIN}`, labels),
  ].join("---\n");
  const endpointsWith = (env: Record<string, string>): string => {
    const { bench, look } = proxyOf(env, router);
    bench.set(documents);
    return look().endpoint!["outbound|80||far.example"]!;
  };
  const through = JSON.parse(endpointsWith(AMBIENT)) as {
    endpoints: { lbEndpoints: { loadBalancingWeight?: number }[] }[];
  };
  const all = through.endpoints.flatMap(({ lbEndpoints }) => lbEndpoints);
  assert.deepEqual(all.map(({ loadBalancingWeight }) => loadBalancingWeight), [75, 25]);
  const text = JSON.stringify(all);
  assert.match(text, /"local":"240.0.0.1:80","waypoint":"10.1.0.1:15008"/);
  assert.match(text, /"identity":"spiffe:\/\/cluster.local\/ns\/one\/sa\/second"/);
  const direct = endpointsWith({ ...AMBIENT, ENABLE_INGRESS_WAYPOINT_ROUTING: "false" });
  assert.doesNotMatch(direct, /15008/);
});

Deno.test("a waypoint behind a node proxy takes what that has taken out of tunnels, and opens none", () => {
  const bindings = [
    ["", "connect_terminate", ["both.example", "far.example"]],
    ["PROXY/15088", "proxy_terminate", []],
    // Without a port the node proxy connects to ports of services.
    ["PROXY", "connect_terminate", ["both.example", "far.example"]],
    ["NONE/15088", "connect_terminate", ["both.example", "far.example"]],
  ] as const;
  for (const [binding, end, through] of bindings) {
    const { bench } = proxyOf({ ...AMBIENT, PILOT_PREFER_SENDING_HBONE: "true" }, waypointNode);
    const annotation = `, annotations: {ambient.mesh.io/waypoint-inbound-binding: "${binding}"}`;
    bench.set([
      gateway("wp", binding === "" ? "" : annotation),
      entry("far", "240.0.0.1", "10.0.0.1", `${TUNNEL}, ${PLAIN}`, USE),
      entry("both", "240.0.0.2", "10.0.0.2", TUNNEL, USE),
    ].join("---\n"));
    const view = (type: keyof typeof TYPE_URLS): Record<string, string> => {
      const found = bench.translation.source.bind(waypointNode, () => {}).view(TYPE_URLS[type])!;
      return Object.fromEntries(
        [...found.entries()].map(({ name, bytes }) => {
          const any: Any = create(AnySchema, { typeUrl: TYPE_URLS[type], value: bytes });
          return [name, JSON.stringify(toJson(AnySchema, any, { registry: SERVED_TYPES }))];
        }),
      );
    };
    const listeners = view("listener");
    const opens = through.length > 0 ? ["connect_originate"] : [];
    assert.deepEqual(Object.keys(listeners).sort(), [end, "main_internal", ...opens].sort());
    const endpoints = view("endpoint");
    assert.deepEqual(tunnelled({ endpoint: endpoints }), through);
    if (through.length > 0) continue;
    assert.match(listeners.proxy_terminate!, /"address":"127\.0\.0\.1","portValue":15088/);
    assert.match(
      listeners.proxy_terminate!,
      /main_internal.*"tlvType":208,"onTlvPresent":\{"key":"peer_principal"\}/,
    );
    // Mutual TLS would be inside the tunnel of the node proxy.
    assert.doesNotMatch(endpoints["outbound|80||both.example"]!, /"tlsMode":"mesh"/);
    assert.ok(!("connect_originate" in view("cluster")) && !("encap" in view("cluster")));
  }
});

Deno.test("instances of a headless service are reached by tunnels where their endpoints are known", () => {
  const documents = [
    `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: db, namespace: one}
spec:
  hosts: [db.example]
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: NONE
  workloadSelector: {labels: {app: db}}
`,
    `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: db, namespace: one}
spec: {address: 10.0.0.7, serviceAccount: db, labels: {app: db, ${TUNNEL}, ${PLAIN}}}
`,
  ];
  for (
    const [eds, expected] of [["true", ["db.example", "far.example"]], ["false", [
      "far.example",
    ]]] as const
  ) {
    const env = { ...AMBIENT, PILOT_ENABLE_EDS_FOR_HEADLESS_SERVICES: eds };
    const { bench, look } = proxyOf(env, node());
    bench.set(documents.join("---\n"));
    const { endpoint, cluster } = look();
    const used = Object.entries(endpoint!).filter(([name]) =>
      cluster![name]?.includes('"type":"EDS"')
    );
    assert.deepEqual(tunnelled({ endpoint: Object.fromEntries(used) }), expected);
  }
});
