/** Gateways between networks, and tunnels of waypoints and sidecars to them. */
import assert from "node:assert/strict";
import {
  type Bench,
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { showResource } from "../../../insight/diff/mod.ts";
import { defaultMeshConfig } from "../../schema/mod.ts";
import type { ProxyNode } from "../../model/mod.ts";
import { culpritsIn } from "../provenance/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const NAME = "gateway.networking.k8s.io/gateway-name";

function node(role: ProxyNode["role"], name: string, network: string): ProxyNode {
  return proxyNode("one", {
    role,
    metadata: { AGENT_CERTIFICATES: "true", NETWORK: network, ENABLE_HBONE: "true" },
    labels: role === "sidecar" ? { app: name } : { [NAME]: name },
  });
}

const gateway = (name: string, className: string, more = ""): string =>
  `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: one, labels: {topology.mesh.io/network: far}}
spec:
  gatewayClassName: ${className}
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]${more}
`;

const ENDPOINT = (
  address: string,
  network: string,
  labels = "networking.mesh.io/tunnel: http, security.mesh.io/tlsMode: disabled",
) => `{address: ${address}, network: ${network}, serviceAccount: shop, labels: {${labels}}}`;

const service = (name: string, labels: string, endpoints: readonly string[]): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one, labels: {${labels}}}
spec:
  hosts: [${name}.example]
  addresses: [240.0.0.${name.length}]
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 53, name: dns, protocol: UDP}]
  resolution: STATIC
  endpoints: [${endpoints.join(", ")}]
`;

const WAYPOINT = (network: string) =>
  `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: wp, namespace: one}
spec:
  gatewayClassName: mesh-waypoint
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: front, namespace: one}
spec:
  hosts: [wp-mesh-waypoint.one.svc.cluster.local]
  ports: [{number: 15008, name: mesh, protocol: TLS}]
  resolution: STATIC
  endpoints: [{address: 10.1.0.1, network: ${network}, serviceAccount: wp}]
`;

const GLOBAL = 'mesh.io/global: "true"';
const FAR = ENDPOINT("10.9.0.1", "far");

const MESH = [
  gateway("ew", "mesh-east-west"),
  gateway("far", "mesh-remote", "\n  addresses: [{value: 192.0.2.9}]"),
  service("shop", GLOBAL, [FAR, ENDPOINT("10.9.0.2", "far"), ENDPOINT("10.0.0.1", "near")]),
  service("local", "", [FAR]),
];

function start(documents: readonly string[], env: Record<string, string> = {}): Bench {
  const bench = startTranslation(
    defaultMeshConfig(),
    featuresWith({
      PILOT_ENABLE_AMBIENT: "true",
      AMBIENT_ENABLE_MULTI_NETWORK: "true",
      ...env,
    }),
  );
  bench.set(documents.join("---\n"));
  return bench;
}

type Kind = "cluster" | "endpoint" | "listener" | "route";

/** The resources of a proxy, by name, as JSON. */
function shown(bench: Bench, proxy: ProxyNode, kind: Kind): Record<string, unknown> {
  const view = bench.translation.source.bind(proxy, () => {}).view(TYPE_URLS[kind])!;
  return Object.fromEntries(
    [...view.entries()].map(({ name, bytes }) => [name, showResource(TYPE_URLS[kind], bytes)]),
  );
}

const addressesIn = (shown: unknown): string[] =>
  [...JSON.stringify(shown).matchAll(/"address":"([\d.]+)","portValue":(\d+)/g)]
    .map(([, address, port]) => `${address}:${port}`);

Deno.test("a gateway forwards inner tunnels to workloads of its own network", () => {
  const bench = start(MESH);
  const proxy = node("waypoint", "ew", "far");
  assert.deepEqual(Object.keys(shown(bench, proxy, "listener")), ["connect_terminate"]);
  const cluster = "inbound-vip|80|tcp|shop.example";
  assert.deepEqual(Object.keys(shown(bench, proxy, "cluster")), [cluster]);
  const { [cluster]: assignment } = shown(bench, proxy, "endpoint");
  assert.deepEqual(addressesIn(assignment), ["10.9.0.1:15008", "10.9.0.2:15008"]);
  const { connect_terminate: routes } = shown(bench, proxy, "route");
  assert.match(JSON.stringify(routes), /"domains":\["shop.example:80"\]/);
  assert.doesNotMatch(JSON.stringify(routes), /local|"\*"|main_internal/);
});

Deno.test("a gateway forwards to the waypoint of a service, if it is in its network", () => {
  const bound = service("shop", `${GLOBAL}, mesh.io/use-waypoint: wp`, [FAR]);
  for (const [network, at] of [["far", "10.1.0.1:15008"], ["near", "10.9.0.1:15008"]]) {
    const bench = start([...MESH.slice(0, 2), bound, WAYPOINT(network!)]);
    const assignments = shown(bench, node("waypoint", "ew", "far"), "endpoint");
    assert.deepEqual(addressesIn(assignments["inbound-vip|80|tcp|shop.example"]), [at]);
  }
});

Deno.test("at a waypoint, the host of a service stands for its address", () => {
  const bound = service("shop", "mesh.io/use-waypoint: wp", [FAR]);
  const bench = start([bound, WAYPOINT("far")]);
  const { connect_terminate: routes } = shown(bench, node("waypoint", "wp", "far"), "route");
  const text = JSON.stringify(routes);
  assert.match(text, /"domains":\["shop.example:80"\].*240\.0\.0\.4:80.*"domains":\["\*"\]/);
});

const SENDERS: readonly (readonly [
  role: ProxyNode["role"],
  env: Record<string, string>,
  sends: boolean,
])[] = [
  ["sidecar", {}, true],
  ["waypoint", {}, true],
  ["waypoint", { AMBIENT_ENABLE_MULTI_NETWORK_WAYPOINT: "false" }, false],
  ["router", {}, false],
  ["router", { AMBIENT_ENABLE_MULTI_NETWORK_INGRESS: "true" }, true],
];

for (const [role, env, sends] of SENDERS) {
  Deno.test(`a ${role} ${sends ? "sends" : "does not send"} to other networks ${JSON.stringify(env)}`, () => {
    const bound = role === "waypoint" ? `, mesh.io/use-waypoint: wp` : "";
    const shop = service("shop", GLOBAL + bound, [
      FAR,
      ENDPOINT("10.9.0.2", "far"),
      ENDPOINT("10.0.0.1", "near"),
    ]);
    const local = service("local", role === "waypoint" ? "mesh.io/use-waypoint: wp" : "a: b", [
      FAR,
    ]);
    const routed = role === "router" ? [ROUTED] : [];
    const bench = start([...MESH.slice(0, 2), shop, local, WAYPOINT("near"), ...routed], env);
    const proxy = node(role, role === "waypoint" ? "wp" : "edge", "near");
    const assignments = shown(bench, proxy, "endpoint");
    const text = JSON.stringify(assignments["outbound|80||shop.example"]);
    assert.match(text, /connect_originate","endpointId":"10\.0\.0\.1:80"/);
    const across = /inner_connect_originate","endpointId":"192\.0\.2\.9:15008"/;
    if (sends) {
      assert.match(text, across);
      assert.match(text, /"service":"shop.example:80"/);
      assert.match(text, /"gateway":"spiffe:\/\/cluster.local\/ns\/one\/sa\/far-mesh-east-west"/);
      assert.match(text, /"loadBalancingWeight":2/);
    } else assert.doesNotMatch(text, across);
    assert.doesNotMatch(JSON.stringify(assignments["outbound|80||local.example"] ?? ""), /10\.9\./);
    for (const kind of ["listener", "cluster"] as const) {
      const names = Object.keys(shown(bench, proxy, kind));
      for (const name of ["inner_connect_originate", "outer_connect_originate"]) {
        assert.equal(names.includes(name), sends, `${kind} ${name}`);
      }
    }
  });
}

Deno.test("a gateway at a host name is reached at its addresses, once they are known", () => {
  const named = gateway(
    "far",
    "mesh-remote",
    "\n  addresses: [{type: Hostname, value: lb.example}]",
  );
  const bench = start([named, service("shop", GLOBAL, [FAR])]);
  const reached = () => {
    const assignments = shown(bench, node("sidecar", "app", "near"), "endpoint");
    return [
      ...JSON.stringify(assignments["outbound|80||shop.example"])
        .matchAll(/endpointId":"([^"]*)"/g),
    ].map(([, id]) => id);
  };
  const names: (readonly string[])[] = [];
  const watch = bench.translation.wantedGatewayNames((all) => names.push(all));
  assert.deepEqual(watch.value, ["lb.example"]);
  assert.deepEqual(reached(), ["10.9.0.1:80"]);
  bench.apply({ gatewayNames: new Map([["lb.example", ["192.0.2.1", "2001:db8::1"]]]) });
  assert.deepEqual(reached(), ["192.0.2.1:15008", "[2001:db8::1]:15008"]);
  bench.set(gateway("far", "mesh-remote", "\n  addresses: [{value: 192.0.2.7}]"));
  assert.deepEqual(reached(), ["192.0.2.7:15008"]);
  assert.deepEqual(names, [[]]);
  watch.close();
});

for (
  const [preferred, entrance, reached] of [
    ["true", true, /inner_connect_originate","endpointId":"192\.0\.2\.9:15008"/],
    ["false", true, /inner_connect_originate","endpointId":"192\.0\.2\.9:15008"/],
    ["false", false, /"address":"10\.9\.0\.3"/],
  ] as const
) {
  Deno.test(`sidecars of other networks: tunnels preferred ${preferred}, through a gateway ${entrance}`, () => {
    const labels = "networking.mesh.io/tunnel: http, security.mesh.io/tlsMode: mesh";
    const shop = service("shop", GLOBAL, [ENDPOINT("10.9.0.3", "far", labels)]);
    const bench = start([...entrance ? MESH.slice(0, 2) : [], shop], {
      PILOT_PREFER_SENDING_HBONE: preferred,
    });
    const assignments = shown(bench, node("sidecar", "app", "near"), "endpoint");
    assert.match(JSON.stringify(assignments["outbound|80||shop.example"]), reached);
    if (!entrance) return;
    const forwarded = shown(bench, node("waypoint", "ew", "far"), "endpoint");
    const to = addressesIn(forwarded["inbound-vip|80|tcp|shop.example"]);
    assert.deepEqual(to, ["10.9.0.3:15008"]);
  });
}

Deno.test("at a sidecar, the host of a service stands for the workload's port", () => {
  const bench = start([SELECTING]);
  const proxy = proxyNode("one", {
    ips: ["10.9.0.3"],
    metadata: { AGENT_CERTIFICATES: "true", ENABLE_HBONE: "true" },
    labels: { app: "shop" },
  });
  const { connect_terminate: routes } = shown(bench, proxy, "route");
  const text = JSON.stringify(routes);
  assert.match(
    text,
    /"domains":\["shop.example:80"\].*PORT%:8080.*\[%.*PORT%\]:8080.*"domains":\["\*"\]/,
  );
  const { connect_terminate: listener } = shown(bench, proxy, "listener");
  assert.match(JSON.stringify(listener), /"routeConfigName":"connect_terminate"/);
});

const SELECTING = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: shop, namespace: one}
spec:
  hosts: [shop.example]
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP, targetPort: 8080}]
  resolution: STATIC
  workloadSelector: {labels: {app: shop}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: shop, namespace: one, labels: {app: shop}}
spec: {address: 10.9.0.3}
`;

/** A rule of a policy for the gateway, and what its filter has. */
const REFUSED: readonly (readonly [rule: string, expected: RegExp])[] = [
  ["from: [{source: {principals: [a.example/ns/b/sa/c]}}]", /"authenticated".*a\.example/],
  ["to: [{operation: {ports: ['80']}}]", /":authority".*"suffix":":80"/],
  ["to: [{operation: {hosts: [shop.example]}}]", /":authority".*shop\\\\\.example/],
  ["to: [{operation: {hosts: ['shop.example:80']}}]", /":authority".*"exact":"shop.example:80"/],
  // Requests are in the inner tunnel.
  ["to: [{operation: {paths: [/x], methods: [GET]}}]", /"rules":\[\{"any":true\}\]/],
];

for (const [rule, expected] of REFUSED) {
  Deno.test(`a policy for a gateway between networks: ${rule}`, () => {
    const bench = start([
      ...MESH,
      `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: deny, namespace: one}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: ew}]
  action: DENY
  rules: [{${rule}}]
`,
    ]);
    const { connect_terminate: listener } = shown(bench, node("waypoint", "ew", "far"), "listener");
    const text = JSON.stringify(listener);
    assert.match(text, expected);
    assert.match(text, /envoy\.filters\.http\.rbac.*envoy\.filters\.http\.router/);
  });
}

const ROUTED = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: one}
spec:
  selector: {${NAME}: edge}
  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: edge, namespace: one}
spec:
  hosts: ["*"]
  gateways: [edge]
  http:
  - match: [{uri: {prefix: /local}}]
    route: [{destination: {host: local.example}}]
  - route: [{destination: {host: shop.example}}]
`;

Deno.test("resources of a gateway name the objects that they are made from", () => {
  const bench = start(MESH);
  const binding = bench.translation.source.bind(node("waypoint", "ew", "far"), () => {});
  for (const type of ["cluster", "endpoint", "route"] as const) {
    const view = binding.view(TYPE_URLS[type])!;
    for (const { name } of view.entries()) {
      const found = culpritsIn(bench.mesh)(view, name).map(({ object }) => object);
      assert.ok(found.some((one) => one.includes("one/shop")), `${type} ${name}: ${found}`);
    }
  }
});
