import assert from "node:assert/strict";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { fromBinary, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import type { ConfigObject, ProxyBinding } from "../../model/mod.ts";
import { serviceEntry } from "../../../../tests/support/manifest.ts";
import {
  type Bench,
  changeOf,
  contentOf,
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import { objectsOf, serviceFacts, testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import { workloadClasses } from "../proxies/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const API = "apiVersion: networking.mesh.io/v1\n";

/** Services of every kind whose hosts clients name in different ways. */
const MESH = `${API}kind: ServiceEntry
metadata: {name: web, namespace: shop}
spec:
  hosts: [web.shop.svc.cluster.local]
  addresses: [10.0.0.7]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 8080, name: more, protocol: HTTP}]
  endpoints: [{address: 10.1.0.1}]
---
${API}kind: ServiceEntry
metadata: {name: own, namespace: one}
spec:
  hosts: [own.one.svc.cluster.local]
  exportTo: ['.']
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.1.0.2}]
---
${API}kind: ServiceEntry
metadata: {name: wild, namespace: shop}
spec:
  hosts: ["*.wild.example", "deep.example"]
  resolution: NONE
  ports: [{number: 80, name: http, protocol: HTTP}]
---
${API}kind: ServiceEntry
metadata: {name: auto, namespace: shop}
spec:
  hosts: [auto.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.1.0.3}]
---
${API}kind: VirtualService
metadata: {name: only, namespace: one}
spec:
  hosts: [only.route.example, "*.other.example"]
  http: [{route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 80}}}]}]
---
${API}kind: VirtualService
metadata: {name: web, namespace: shop}
spec:
  hosts: [web.shop.svc.cluster.local]
  http:
  - {match: [{sourceLabels: {app: narrow}}], redirect: {uri: /narrow}}
  - {route: [{destination: {host: web.shop.svc.cluster.local, port: {number: 8080}}}]}
`;

const SIDECAR = `${API}kind: Sidecar
metadata: {name: few, namespace: one}
spec: {egress: [{hosts: ["shop/web.shop.svc.cluster.local", "*/*.wild.example"]}]}
`;

const patch = (name: string, vhost: string, applyTo: string, change: string): string =>
  `${API.replace("v1", "v1alpha3")}kind: DataproxyFilter
metadata: {name: ${name}, namespace: mesh-system}
spec:
  configPatches:
  - applyTo: ${applyTo}
    match: {context: SIDECAR_OUTBOUND, routeConfiguration: {vhost: {${vhost}}}}
    patch: ${change}
`;

/** Patches that select virtual hosts by name, by domain, and all of them. */
const PATCHES = [
  patch(
    "named",
    "name: web.shop.svc.cluster.local:80",
    "VIRTUAL_HOST",
    "{operation: MERGE, value: {request_headers_to_remove: [x-named]}}",
  ),
  patch(
    "by-domain",
    "domainName: deep.example",
    "VIRTUAL_HOST",
    "{operation: MERGE, value: {request_headers_to_remove: [x-domain]}}",
  ),
  patch(
    "routes",
    "name: auto.example:80",
    "HTTP_ROUTE",
    "{operation: INSERT_FIRST, value: {match: {prefix: /first}, direct_response: {status: 204}}}",
  ),
  patch(
    "all",
    "",
    "VIRTUAL_HOST",
    "{operation: MERGE, value: {request_headers_to_remove: [x-all]}}",
  ),
];

/** The names of its pods are below its own. */
const HEADLESS: ConfigObject = {
  ...objectsOf(
    serviceEntry("db", ["db.one.svc.cluster.local"], { number: 80, protocol: "HTTP" }, {
      resolution: "NONE",
      endpoints: [],
    }),
  )[0]!,
  service: serviceFacts({ headless: true }),
};

const workloadOf = (namespace: string, labels: Record<string, string>): string =>
  workloadClasses.encode({ namespace, serviceAccount: "", labels });

interface Proxies {
  /** It is sent every virtual host. */
  readonly full: ProxyBinding;
  /** It is sent those that its class asked for. */
  readonly asking: ProxyBinding;
  readonly workload: string;
}

function bindBoth(bench: Bench, namespace: string, labels: Record<string, string>): Proxies {
  const { source } = bench.translation;
  const node = { labels, ...TAKES_PARTS };
  const metadata = { ON_DEMAND: "true" };
  return {
    full: source.bind(proxyNode(namespace, node), () => {}),
    asking: source.bind(proxyNode(namespace, { ...node, metadata }), () => {}),
    workload: workloadOf(namespace, labels),
  };
}

function ask(bench: Bench, workload: string, names: readonly string[]): void {
  bench.writer.writeAsked(names.map((name) => ({ workload, name })), []);
  bench.translation.publish();
}

/** The routes of each virtual host that a proxy is sent, by name, with its domains. */
function hostsOf(binding: ProxyBinding) {
  return new Map([...binding.view(TYPE_URLS.virtualHost)!.entries()].map(({ name, bytes }) => {
    const message = fromBinary(VirtualHostSchema, bytes);
    const { domains } = message;
    for (const { action } of message.routes) {
      if (action.case === "route") action.value.idleTimeout = undefined;
    }
    message.name = "";
    message.domains = [];
    const routes = toJson(VirtualHostSchema, message, { registry: SERVED_TYPES });
    return [name, { domains, routes: JSON.stringify(routes) }];
  }));
}

const CLIENTS = [
  ["one", {}],
  ["one", { app: "narrow" }],
  ["shop", {}],
  ["two", { app: "wide" }],
] as const;

const SCOPES = [
  ["", [MESH]],
  [" of a Sidecar", [MESH, SIDECAR]],
  [" with patches", [MESH, ...PATCHES]],
  [" of a Sidecar with patches", [MESH, SIDECAR, ...PATCHES]],
] as const;

for (const [scope, documents] of SCOPES) {
  Deno.test(`each domain of each virtual host${scope} can be asked for, and has its routes`, () => {
    const features = { ...DEFAULT_FEATURES, autoAllocateAddresses: true };
    const bench = startTranslation(testMeshConfig(), features);
    bench.set(documents.join("---\n"));
    bench.apply({ objects: [changeOf(HEADLESS)] });
    for (const [namespace, labels] of CLIENTS) {
      const { full, asking, workload } = bindBoth(bench, namespace, labels);
      const expected = new Map<string, string>();
      for (const [name, { domains, routes }] of hostsOf(full)) {
        const table = name.slice(0, name.lastIndexOf("/"));
        for (const domain of domains) {
          expected.set(`${table}/${domain.replace("*", "some.pod")}`, routes);
          expected.set(`${table}/${domain.replace("*", "pod")}:99`, routes);
        }
      }
      assert.ok(expected.size > 6, `${namespace}: ${expected.size}`);
      ask(bench, workload, [...expected.keys()]);
      const sent = hostsOf(asking);
      const routes = new Map([...sent].map(([name, one]) => [name, one.routes]));
      assert.deepEqual(
        new Map([...routes].sort()),
        new Map([...expected].sort()),
        `${namespace} ${JSON.stringify(labels)}`,
      );
      assert.ok([...sent.values()].every(({ domains }) => domains.length === 1));
      full.close();
      asking.close();
    }
    assert.deepEqual(bench.graph.faults(), []);
  });
}

Deno.test("tables of such proxies are without virtual hosts, and all others see what they saw", () => {
  const bench = startTranslation();
  bench.set(MESH);
  const { full, asking, workload } = bindBoth(bench, "one", {});
  const before = contentOf(full.view(TYPE_URLS.virtualHost));
  const tables = [...asking.view(TYPE_URLS.route)!.entries()]
    .filter(({ name }) => !name.includes(":") && name !== "http_proxy");
  assert.deepEqual(tables.map(({ name }) => name).sort(), ["80", "8080"]);
  for (const { bytes } of tables) {
    const { virtualHosts, vhds } = fromBinary(RouteConfigurationSchema, bytes);
    assert.deepEqual([virtualHosts.length, vhds === undefined], [0, false]);
  }
  const at = bench.translation.source.revision;
  ask(bench, workload, ["80/web.shop", "80/unknown.example"]);
  assert.deepEqual(contentOf(full.view(TYPE_URLS.virtualHost)), before);
  for (const url of Object.values(TYPE_URLS)) {
    const delta = full.view(url)?.since(at);
    assert.deepEqual([delta?.changed.length ?? 0, delta?.removed.length ?? 0], [0, 0], url);
  }
});

Deno.test("patches select a virtual host by its own name; one that a patch removes has the policy", () => {
  const bench = startTranslation();
  bench.set(MESH);
  const { asking, workload } = bindBoth(bench, "one", {});
  ask(bench, workload, ["80/web.shop", "80/10.0.0.7", "80/unknown.example"]);
  const headers = () =>
    [...hostsOf(asking)].map(([name, { routes }]) => [name, /x-named/.test(routes)]).sort();
  const named = "name: web.shop.svc.cluster.local:80";
  const merged = "{request_headers_to_remove: [x-named], domains: [more.example]}";
  bench.set(patch("named", named, "VIRTUAL_HOST", `{operation: MERGE, value: ${merged}}`));
  assert.deepEqual(headers(), [["80/10.0.0.7", true], ["80/unknown.example", false], [
    "80/web.shop",
    true,
  ]]);
  assert.deepEqual(hostsOf(asking).get("80/web.shop")!.domains, ["web.shop"]);
  const unknown = hostsOf(asking).get("80/unknown.example")!.routes;
  bench.set(patch("named", named, "VIRTUAL_HOST", "{operation: REMOVE}"));
  assert.equal(hostsOf(asking).get("80/web.shop")!.routes, unknown);
  bench.remove("DataproxyFilter", "mesh-system/named");
  assert.match(hostsOf(asking).get("80/web.shop")!.routes, /outbound\|8080\|\|web/);
});

Deno.test("an unknown host has the outbound traffic policy until it appears", () => {
  const bench = startTranslation();
  bench.set(MESH);
  const { asking, workload } = bindBoth(bench, "one", {});
  ask(bench, workload, ["80/late.example"]);
  const routes = () => hostsOf(asking).get("80/late.example")!.routes;
  const unknown = routes();
  assert.match(unknown, /PassthroughCluster/);
  bench.set(`${API}kind: ServiceEntry
metadata: {name: late, namespace: shop}
spec:
  hosts: [late.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.1.0.9}]
`);
  assert.match(routes(), /outbound\|80\|\|late\.example/);
  bench.remove("ServiceEntry", "shop/late");
  assert.equal(routes(), unknown);
});

Deno.test("a change computes the hosts that were asked for and concern it, and no others", () => {
  const bench = startTranslation();
  bench.set(MESH);
  const { workload } = bindBoth(bench, "one", {});
  ask(bench, workload, ["80/web.shop", "80/own", "80/unknown.example", "8080/web.shop"]);
  const computed = (yaml: string): number => {
    bench.graph.resetStats();
    bench.set(yaml);
    return bench.graph.stats().computedByTable["vhds.asked"] ?? 0;
  };
  const parts = MESH.split("---\n");
  const rule = parts.at(-1)!.replace("number: 8080", "number: 80");
  assert.equal(computed(rule), 2, "both ports of the host");
  const other = parts[3]!.replace("10.1.0.3", "10.1.0.4");
  assert.equal(computed(other), 0, "endpoints of another host");
  assert.equal(computed(other.replaceAll("auto", "more")), 0, "a new host");
});

Deno.test("an authority of many labels computes nothing for hosts that nobody names", () => {
  const bench = startTranslation(testMeshConfig(), DEFAULT_FEATURES);
  bench.set(MESH);
  const { asking, workload } = bindBoth(bench, "one", { app: "a" });
  asking.view(TYPE_URLS.virtualHost);
  const deep = `${"a.".repeat(120)}wild.example`;
  ask(bench, workload, [`80/${deep}`, `80/${"a".repeat(2000)}.wild.example`]);
  assert.deepEqual([...hostsOf(asking).keys()].length, 2);
  assert.equal(bench.graph.stats().computedByTable["vhds.asked.candidate"], 1, "*.wild.example");
});

const SWITCHES = [
  ["nothing says so", {}, "", undefined],
  ["the mesh", { onDemand: true }, "", undefined],
  ["the namespace", {}, "true", undefined],
  ["the namespace against the mesh", { onDemand: true }, "false", undefined],
  ["the workload against the namespace", {}, "true", {
    ANNOTATIONS: { "mesh.io/on-demand": "false" },
  }],
  ["metadata against the annotation", {}, "", {
    ON_DEMAND: "true",
    ANNOTATIONS: { "mesh.io/on-demand": "false" },
  }],
] as const;

Deno.test("metadata, the workload, the namespace and the mesh switch it on or off, in this order", () => {
  const results = SWITCHES.map(([what, features, namespace, metadata]) => {
    const bench = startTranslation(testMeshConfig(), { ...DEFAULT_FEATURES, ...features });
    bench.set(MESH);
    if (namespace !== "") {
      bench.set(`apiVersion: v1
kind: Namespace
metadata: {name: one, labels: {mesh.io/on-demand: "${namespace}"}}
`);
    }
    const more = metadata === undefined ? {} : { metadata };
    const binding = bench.translation.source.bind(
      proxyNode("one", { ...TAKES_PARTS, ...more }),
      () => {},
    );
    return [what, binding.onDemand!(TYPE_URLS.virtualHost) !== undefined];
  });
  assert.deepEqual(
    results.map(([, is]) => is),
    [false, true, true, false, false, true],
    JSON.stringify(results),
  );
});

Deno.test("programs without proxy, gateways and clients of the other variant are sent everything", () => {
  const bench = startTranslation(testMeshConfig(), { ...DEFAULT_FEATURES, onDemand: true });
  bench.set(MESH);
  const nodes = [
    proxyNode("one", { ...TAKES_PARTS, transport: "sotw" }),
    proxyNode("one", { ...TAKES_PARTS, metadata: { GENERATOR: "grpc" } }),
    proxyNode("one", { ...TAKES_PARTS, role: "router" }),
    proxyNode("one", { ...TAKES_PARTS, userAgent: "" }),
  ];
  for (const node of nodes) {
    const binding = bench.translation.source.bind(node, () => {});
    assert.equal(binding.onDemand!(TYPE_URLS.cluster), undefined);
    assert.equal(binding.onDemand!(TYPE_URLS.virtualHost), undefined);
  }
});
