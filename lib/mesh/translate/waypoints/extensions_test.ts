/** Telemetry, WasmPlugins and DataproxyFilters at waypoints: what each reaches, by its targets. */
import assert from "node:assert/strict";
import {
  type Bench,
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { showResource } from "../../../insight/diff/mod.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../schema/mod.ts";
import type { ProxyNode } from "../../model/mod.ts";
import { provenanceOf } from "../provenance/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const WAYPOINT: ProxyNode = proxyNode("one", {
  role: "waypoint",
  metadata: { AGENT_CERTIFICATES: "true", AGENT_WASM: "true" },
  labels: { "gateway.networking.k8s.io/gateway-name": "wp" },
});

const service = (name: string, vip: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one, labels: {mesh.io/use-waypoint: wp}}
spec:
  hosts: [${name}.example]
  addresses: [${vip}]
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 7000, name: tcp, protocol: TCP}]
  resolution: STATIC
  endpoints: [{address: 10.0.0.1}]
`;

const MESH = [
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
  endpoints: [{address: 10.1.0.1}]
`,
  service("shop", "240.0.0.1"),
  service("till", "240.0.0.2"),
].join("---\n");

const API: Readonly<Record<string, string>> = {
  Telemetry: "telemetry.mesh.io/v1",
  WasmPlugin: "extensions.mesh.io/v1alpha1",
  DataproxyFilter: "networking.mesh.io/v1alpha3",
};

const object = (kind: string, spec: string, namespace = "one"): string =>
  `apiVersion: ${
    API[kind]
  }\nkind: ${kind}\nmetadata: {name: x, namespace: ${namespace}}\nspec: ${spec}\n`;

function bench(): { bench: Bench; marked: (mark: RegExp) => string[]; why: () => string[] } {
  const config = parseMeshConfig("accessLogFile: ''", "mesh").value ?? defaultMeshConfig();
  const bench = startTranslation(config, featuresWith({ PILOT_ENABLE_AMBIENT: "true" }));
  bench.set(MESH);
  const binding = bench.translation.source.bind(WAYPOINT, () => {});
  const view = (type: keyof typeof TYPE_URLS) => binding.view(TYPE_URLS[type])!;
  const text = (type: keyof typeof TYPE_URLS, bytes: Uint8Array) =>
    showResource(TYPE_URLS[type], bytes);
  const chains = (): [string, unknown][] => {
    const shown = text("listener", view("listener").get("main_internal")!.bytes);
    const { filterChains = [], ...rest } = shown as { filterChains?: { name: string }[] };
    return [
      ["main_internal", rest],
      ...filterChains.map((one): [string, unknown] => [one.name, one]),
    ];
  };
  return {
    bench,
    marked: (mark) => {
      const all: [string, unknown][] = [
        ...chains(),
        ...(["route", "cluster"] as const).flatMap((type) =>
          [...view(type).entries()].map((r): [string, unknown] => [
            `${type} ${r.name}`,
            text(type, r.bytes),
          ])
        ),
      ];
      return all.filter(([, one]) => mark.test(JSON.stringify(one)))
        .map(([name]) => name.replace("inbound-vip|", "").replace(".example", "")).sort();
    },
    why: () => {
      const type = TYPE_URLS.listener;
      const question = { mesh: bench.mesh, view: view("listener"), type, name: "main_internal" };
      const { groups = [] } = provenanceOf(question) ?? {};
      return groups.flatMap(({ object = "" }) => /\/x$/.test(object) ? [object] : []);
    },
  };
}

const SHOP = "targetRefs: [{group: networking.mesh.io, kind: ServiceEntry, name: shop}]";
const GATEWAY = "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: wp}]";
const CLASS =
  "targetRefs: [{group: gateway.networking.k8s.io, kind: GatewayClass, name: mesh-waypoint}]";
const LUA =
  '{name: marker, typedConfig: {"@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua}}';

const patch = (applyTo: string, waypoint: string, operation: string, value?: string): string =>
  `configPatches: [{applyTo: ${applyTo}, match: {context: WAYPOINT, waypoint: {${waypoint}}}, ` +
  `patch: {operation: ${operation}${value === undefined ? "" : `, value: ${value}`}}}]`;

const LOG = "accessLogging: [{providers: [{name: dataproxy}]}]";
const MANAGER = "filter: {name: envoy.filters.network.http_connection_manager";
const ROUTER = `${MANAGER}, subFilter: {name: envoy.filters.http.router}}`;
const PLUGIN = "url: 'https://10.9.9.9/marker.wasm'";
const HTTP = ["80|http|shop", "80|http|till"];
const TCP = ["7000|tcp|shop", "7000|tcp|till"];
const ROUTES = HTTP.map((name) => `route ${name}`);

const CASES: readonly [what: string, object: string, mark: RegExp, expected: string[]][] = [
  ["a log of a service", object("Telemetry", `{${SHOP}, ${LOG}}`), /stdout/, [TCP[0]!, HTTP[0]!]],
  [
    "a log of the waypoint",
    object("Telemetry", `{${GATEWAY}, ${LOG}}`),
    /stdout/,
    [...TCP, ...HTTP, "main_internal"],
  ],
  [
    "a log of the class",
    object("Telemetry", `{${CLASS}, ${LOG}}`, "mesh-system"),
    /stdout/,
    [...TCP, ...HTTP, "main_internal"],
  ],
  ["a log of the class elsewhere", object("Telemetry", `{${CLASS}, ${LOG}}`), /stdout/, []],
  [
    "a log of a service elsewhere",
    object("Telemetry", `{${SHOP}, ${LOG}}`, "two"),
    /stdout/,
    [],
  ],
  [
    "a plugin of a service",
    object("WasmPlugin", `{${SHOP}, ${PLUGIN}}`),
    /wasmplugin/,
    [HTTP[0]!],
  ],
  [
    "a network plugin of a service",
    object("WasmPlugin", `{${SHOP}, ${PLUGIN}, type: NETWORK}`),
    /wasmplugin/,
    [TCP[0]!],
  ],
  [
    "a plugin of the class",
    object("WasmPlugin", `{${CLASS}, ${PLUGIN}}`, "mesh-system"),
    /wasmplugin/,
    HTTP,
  ],
  ["a plugin of the waypoint", object("WasmPlugin", `{${GATEWAY}, ${PLUGIN}}`), /wasmplugin/, HTTP],
  [
    "a plugin for clients",
    object("WasmPlugin", `{${GATEWAY}, ${PLUGIN}, match: [{mode: CLIENT}]}`),
    /wasmplugin/,
    [],
  ],
  [
    "a filter before the router",
    object("DataproxyFilter", `{${patch("HTTP_FILTER", ROUTER, "INSERT_BEFORE", LUA)}}`),
    /marker/,
    HTTP,
  ],
  [
    "a filter of a service",
    object("DataproxyFilter", `{${SHOP}, ${patch("HTTP_FILTER", "", "INSERT_FIRST", LUA)}}`),
    /marker/,
    [HTTP[0]!],
  ],
  [
    "a filter of the class",
    object(
      "DataproxyFilter",
      `{${CLASS}, ${patch("HTTP_FILTER", "", "INSERT_FIRST", LUA)}}`,
      "mesh-system",
    ),
    /marker/,
    HTTP,
  ],
  [
    "a filter at a port",
    object(
      "DataproxyFilter",
      `{${patch("NETWORK_FILTER", "portNumber: 7000", "INSERT_FIRST", "{name: marker}")}}`,
    ),
    /marker/,
    TCP,
  ],
  [
    "a filter before one that is missing",
    object(
      "DataproxyFilter",
      `{${patch("HTTP_FILTER", `${MANAGER}, subFilter: {name: none}}`, "INSERT_BEFORE", LUA)}}`,
    ),
    /marker/,
    [],
  ],
  [
    "a route by its name",
    object(
      "DataproxyFilter",
      `{${patch("HTTP_ROUTE", "route: {name: default}", "MERGE", "{statPrefix: marker}")}}`,
    ),
    /marker/,
    ROUTES,
  ],
  [
    "a route by another name",
    object(
      "DataproxyFilter",
      `{${patch("HTTP_ROUTE", "route: {name: other}", "MERGE", "{statPrefix: marker}")}}`,
    ),
    /marker/,
    [],
  ],
  [
    "the virtual host of a service",
    object(
      "DataproxyFilter",
      `{${SHOP}, ${
        patch(
          "VIRTUAL_HOST",
          "",
          "MERGE",
          "{requestHeadersToAdd: [{header: {key: marker, value: a}}]}",
        )
      }}`,
    ),
    /marker/,
    [ROUTES[0]!],
  ],
  [
    "the clusters of a port of a service",
    object(
      "DataproxyFilter",
      `{${SHOP}, ${patch("CLUSTER", "portNumber: 80", "MERGE", "{altStatName: marker}")}}`,
    ),
    /marker/,
    ["cluster 80|http|shop"],
  ],
  [
    "the listener",
    object("DataproxyFilter", `{${patch("LISTENER", "", "MERGE", "{statPrefix: marker}")}}`),
    /marker/,
    ["main_internal"],
  ],
  [
    "the listener, for a service",
    object(
      "DataproxyFilter",
      `{${SHOP}, ${patch("LISTENER", "", "MERGE", "{statPrefix: marker}")}}`,
    ),
    /marker/,
    [],
  ],
];

for (const [what, yaml, mark, expected] of CASES) {
  Deno.test(`at a waypoint: ${what}`, () => {
    const world = bench();
    assert.deepEqual(world.marked(mark), []);
    world.bench.set(yaml);
    assert.deepEqual(world.marked(mark), [...expected].sort());
    assert.deepEqual(world.bench.translation.patches.faults(), []);
    assert.deepEqual(world.bench.graph.faults(), []);
    const inListener = expected.some((name) => !/^(?:route|cluster) /.test(name));
    assert.equal(world.why().length > 0, inListener, JSON.stringify(world.why()));
  });
}

Deno.test("an edit of what is attached to one service computes the chains of that service", () => {
  const { bench: world, marked } = bench();
  marked(/x/);
  world.graph.resetStats();
  world.set(object("Telemetry", `{${SHOP}, ${LOG}}`));
  assert.equal(marked(/stdout/).length, 2);
  assert.equal(world.graph.stats().computedByTable["waypoint.chains"], 1);
});
