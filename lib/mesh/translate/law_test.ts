// @isolate: it takes long.
/**
 * The law: after any edits, what proxies see equals what a translation from
 * scratch gives, and the deltas on the way add up to it.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import {
  type Bench,
  contentOf,
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../tests/support/translation_fixture.ts";
import { hash } from "../../kit/base/mod.ts";
import type { AskedName, TableKind } from "../derive/mod.ts";
import type { CellRef, Resource, View } from "../graph/mod.ts";
import type { ProxyBinding, ProxyNode } from "../model/mod.ts";
import { create, fromBinary, toBinary } from "../../kit/proto/mod.ts";
import type { Features } from "./features.ts";
import { workloadClasses } from "./proxies/mod.ts";
import { provenanceOf } from "./provenance/mod.ts";
import { TYPE_URLS } from "./resources/mod.ts";

/**
 * CI uses a fixed seed, so that failures are related to the change; other runs use a random seed.
 */
const SEED = Deno.env.get("CI") === undefined ? {} : { seed: 20_261 };

const NAMESPACES = ["one", "two", "mesh-system"];

const HOSTS = ["a.example", "b.example", "c.one.svc.cluster.local", "*.wild.example"];

interface Edit {
  readonly kind: TableKind;
  readonly name: string;
  readonly namespace: string;
  /** `undefined`: removed. */
  readonly spec: string | undefined;
}

const namespace = fc.constantFrom(...NAMESPACES);

const host = fc.constantFrom(...HOSTS);

const exportTo = fc.constantFrom("", "  exportTo: ['.']\n", "  exportTo: [two]\n");

const serviceEntry = fc.record({
  host,
  exportTo,
  port: fc.constantFrom(
    "80, name: http, protocol: HTTP",
    "80, name: bytes, protocol: TCP",
    "90, name: tcp, protocol: TCP",
    "90, name: found",
    "90, name: tls, protocol: TLS",
  ),
  vip: fc.constantFrom("", "  addresses: [240.0.0.1]\n", "  addresses: [240.1.0.0/16]\n"),
  endpoint: fc.integer({ min: 1, max: 3 }),
  // A service with a selector and without address is headless.
  resolution: fc.constantFrom("STATIC", "STATIC", "DNS", "NONE"),
  network: fc.constantFrom("''", "near", "far"),
}).map((r) =>
  `  hosts: ["${r.host}"]

${r.exportTo}${r.vip}  resolution: ${
    r.host.startsWith("*") ? "NONE" : r.vip.includes("/") ? "STATIC" : r.resolution
  }
  location: MESH_INTERNAL
  ports: [{number: ${r.port}}]

${
    r.host.startsWith("*")
      ? ""
      : r.resolution === "NONE" && !r.vip.includes("/")
      ? "  workloadSelector: {labels: {app: db}}"
      : `  endpoints:
  - {address: 10.0.0.${r.endpoint}, labels: {v: "${r.endpoint}"}, locality: r1/z1, network: ${r.network}}
  - {address: 10.1.0.${r.endpoint}, labels: {security.mesh.io/tlsMode: mesh}, locality: r2/z1, network: ${r.network}}`
  }

`
);

const destinationRule = fc.record({
  host,
  exportTo,
  connections: fc.integer({ min: 1, max: 3 }),
  // Some select workloads by label.
  selector: fc.constantFrom(
    "",
    "",
    "  exportTo: ['.']\n  workloadSelector: {matchLabels: {app: narrow}}\n",
  ),
  // Some make it matter where the proxy is.
  more: fc.constantFrom(
    "",
    ", outlierDetection: {consecutive5xxErrors: 1}",
    ", loadBalancer: {localityLbSetting: {distribute: [{from: r1/*, to: {r2/*: 100}}]}}",
    // Some change the listeners that lead there.
    ", loadBalancer: {consistentHash: {useSourceIp: true}}",
    ", tunnel: {targetHost: t.example, targetPort: 9}",
    ", outlierDetection: {}, loadBalancer: {localityLbSetting: {failoverPriority: [app, v=2]}}",
  ),
})
  .map((r) =>
    `  host: "${r.host}"

${
      r.selector || r.exportTo
    }  trafficPolicy: {connectionPool: {tcp: {maxConnections: ${r.connections}}}${r.more}}
  subsets: [{name: s, labels: {v: "1"}}]

`
  );

/** The callers that a rule is for, as a further field of a match. */
function sourceOf(rule: string): string {
  const source = /source(Namespace: \w+|Labels: \{[^}]*\})/.exec(rule);
  return source === null ? "" : `, ${source[0]}`;
}

const virtualService = fc.record({
  host: fc.constantFrom(...HOSTS, "only.route.example"),
  exportTo,
  destination: fc.constantFrom("a.example", "b.example"),
  // Some rules are for callers of a namespace, some are given by another VirtualService.
  rule: fc.constantFrom(
    "",
    "{match: [{sourceNamespace: one}], redirect: {uri: /one}}, ",
    "{match: [{sourceLabels: {app: narrow}}], redirect: {uri: /narrow}}, ",
    "{match: [{sourceLabels: {app: wide}}], redirect: {uri: /wide}}, ",
    "{match: [{uri: {prefix: /d}}], delegate: {name: inner, namespace: two}}, ",
  ),
  gateways: fc.constantFrom("", "  gateways: [one/gw]\n", "  gateways: [mesh, one/gw]\n"),
}).map((r) =>
  `  hosts: ["${r.host}"]

${r.exportTo}${r.gateways}  http: [${r.rule}{route: [{destination: {host: ${r.destination}}}]}]
  tls: [{match: [{sniHosts: ["${r.host}"]${
    sourceOf(r.rule)
  }}], route: [{destination: {host: ${r.destination}}}]}]

`
);

const delegate = fc.record({
  exportTo,
  destination: fc.constantFrom("a.example", "b.example", "c.one.svc.cluster.local"),
}).map((r) => `${r.exportTo}  http: [{route: [{destination: {host: ${r.destination}}}]}]\n`);

const gateway = fc.record({
  hosts: fc.constantFrom("['*']", "[a.example, two/b.example]"),
  redirect: fc.constantFrom("", ", tls: {httpsRedirect: true}"),
  own: fc.constantFrom(
    "mode: SIMPLE, serverCertificate: /c, privateKey: /k",
    "mode: MUTUAL, credentialName: shop",
  ),
  pass: fc.constantFrom("PASSTHROUGH", "AUTO_PASSTHROUGH"),
}).map(({ hosts, redirect, own, pass }) =>
  `  selector: {app: gw}
  servers:
  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: ${hosts}${redirect}}
  - port: {number: 8443, name: https, protocol: HTTPS}
    hosts: ${hosts}
    tls: {${own}}
  - {port: {number: 8443, name: pass, protocol: TLS}, hosts: ['*.example'], tls: {mode: ${pass}}}

`
);

const sidecar = fc.constantFrom("['*/*']", "['./*']", "[two/b.example, '*/a.example']")
  .map((hosts) => `  workloadSelector: {labels: {app: narrow}}\n  egress: [{hosts: ${hosts}}]\n`);

/** Patches of everything, for some workloads or all, and one that makes its resource invalid. */
const dataproxyFilter = fc.record({
  selector: fc.constantFrom("", "  workloadSelector: {labels: {app: narrow}}\n"),
  priority: fc.integer({ min: -1, max: 1 }),
  patches: fc.subarray([
    "{applyTo: CLUSTER, match: {cluster: {service: a.example}}, patch: {operation: MERGE, value: {connectTimeout: 7s}}}",
    "{applyTo: CLUSTER, match: {cluster: {service: b.example}}, patch: {operation: REMOVE}}",
    "{applyTo: CLUSTER, match: {cluster: {service: b.example}}, patch: {operation: MERGE, value: {connectTimeout: 0s}}}",
    "{applyTo: CLUSTER, match: {}, patch: {operation: ADD, value: {name: added, type: STATIC}}}",
    "{applyTo: LISTENER, match: {context: SIDECAR_OUTBOUND}, patch: {operation: MERGE, value: {perConnectionBufferLimitBytes: 9}}}",
    "{applyTo: HTTP_FILTER, match: {}, patch: {operation: REMOVE}}",
    "{applyTo: VIRTUAL_HOST, match: {routeConfiguration: {vhost: {domainName: a.example}}}, patch: {operation: REMOVE}}",
    "{applyTo: VIRTUAL_HOST, match: {context: GATEWAY, routeConfiguration: {gateway: one/gw, vhost: {name: 'a.example:8443'}}}, patch: {operation: MERGE, value: {includeAttemptCountInResponse: true}}}",
    "{applyTo: VIRTUAL_HOST, match: {context: GATEWAY, routeConfiguration: {portNumber: 8080}}, patch: {operation: ADD, value: {name: own, domains: [own.example]}}}",
    "{applyTo: HTTP_ROUTE, match: {}, patch: {operation: MERGE, value: {name: patched}}}",
    "{applyTo: EXTENSION_CONFIG, match: {}, patch: {operation: ADD, value: {name: added}}}",
  ], { minLength: 1, maxLength: 4 }),
}).map(({ selector, priority, patches }) =>
  `${selector}  priority: ${priority}\n  configPatches:\n${
    patches.map((patch) => `  - ${patch}\n`).join("")
  }`
);

const wasmPlugin = fc.constantFrom(
  '  url: "file:///a.wasm"\n',
  "  url: oci://a/b\n",
  `  url: http://c.example/a.wasm\n  sha256: ${"a".repeat(64)}\n  phase: AUTHN\n`,
);

function edit(kind: TableKind, spec: fc.Arbitrary<string>, names: string[]): fc.Arbitrary<Edit> {
  return fc.record({
    kind: fc.constant(kind),
    name: fc.constantFrom(...names),
    namespace: kind === "Gateway" || kind === "Sidecar" ? fc.constant("one") : namespace,
    spec: fc.option(spec, { nil: undefined, freq: 4 }),
  });
}

const workload = fc.constantFrom("10.0.0.1", "10.2.0.1", "240.0.0.1")
  .map((address) => `  address: ${address}\n  labels: {app: db}\n`);

const anyEdit = fc.oneof(
  { weight: 4, arbitrary: edit("ServiceEntry", serviceEntry, ["k", "l", "m"]) },
  { weight: 2, arbitrary: edit("DestinationRule", destinationRule, ["k", "l"]) },
  { weight: 3, arbitrary: edit("VirtualService", virtualService, ["k", "l"]) },
  { weight: 1, arbitrary: edit("VirtualService", delegate, ["inner"]) },
  { weight: 1, arbitrary: edit("WorkloadEntry", workload, ["w1", "w2"]) },
  { weight: 1, arbitrary: edit("Gateway", gateway, ["gw"]) },
  { weight: 1, arbitrary: edit("Sidecar", sidecar, ["sc"]) },
  { weight: 1, arbitrary: edit("DataproxyFilter", dataproxyFilter, ["df", "dg"]) },
  { weight: 1, arbitrary: edit("WasmPlugin", wasmPlugin, ["wp"]) },
);

const PROXIES: readonly ProxyNode[] = [
  proxyNode("one"),
  proxyNode("two", { ip: "10.0.0.2", labels: { app: "wide" } }),
  proxyNode("one", { labels: { app: "narrow" } }),
  proxyNode("two", { metadata: { INTERCEPTION_MODE: "NONE" } }),
  proxyNode("one", { role: "router", labels: { app: "gw" } }),
  proxyNode("one", { role: "router", labels: { app: "gw" }, readsCredentials: true }),
  proxyNode("one", { role: "router", labels: { app: "gw" }, ...TAKES_PARTS }),
  proxyNode("one", TAKES_PARTS),
  proxyNode("one", { metadata: { HTTP_PROXY_PORT: "3128" } }),
  proxyNode("one", { labels: { app: "narrow" }, ...TAKES_PARTS }),
  proxyNode("one", { ...TAKES_PARTS, metadata: { ON_DEMAND: "true" } }),
  proxyNode("one", {
    labels: { app: "narrow" },
    ...TAKES_PARTS,
    metadata: { ON_DEMAND: "true" },
  }),
  proxyNode("two", { ip: "10.0.0.2", metadata: { GENERATOR: "grpc" } }),
  proxyNode("one", { locality: { region: "r1", zone: "z1", subzone: "" } }),
  proxyNode("one", {
    locality: { region: "r2", zone: "z9", subzone: "" },
    labels: { app: "narrow" },
    metadata: { NETWORK: "near" },
  }),
  proxyNode("two", { ip: "10.0.0.2", metadata: { NETWORK: "far", GENERATOR: "grpc" } }),
];

/** Proxies that request explanations: they need more computations, so fewer runs must be enough. */
const EXPLAINED: readonly ProxyNode[] = [
  proxyNode("two", { ip: "10.0.0.2", metadata: { EXPLAIN: "true" } }),
  proxyNode("one", { labels: { app: "narrow" }, metadata: { EXPLAIN: "true" } }),
  proxyNode("one", { ...TAKES_PARTS, metadata: { EXPLAIN: "true" } }),
  proxyNode("one", { role: "router", labels: { app: "gw" }, metadata: { EXPLAIN: "true" } }),
  proxyNode("one", {
    role: "router",
    labels: { app: "gw" },
    ...TAKES_PARTS,
    metadata: { EXPLAIN: "true" },
  }),
  proxyNode("one", {
    locality: { region: "r1", zone: "", subzone: "" },
    labels: { app: "narrow" },
    metadata: { EXPLAIN: "true", NETWORK: "near" },
  }),
];

const API_VERSIONS: Readonly<Record<string, string>> = {
  DataproxyFilter: "networking.mesh.io/v1alpha3",
  WasmPlugin: "extensions.mesh.io/v1alpha1",
};

function yamlOf(e: Edit): string {
  return `apiVersion: ${API_VERSIONS[e.kind] ?? "networking.mesh.io/v1"}

kind: ${e.kind}

metadata: {name: ${e.name}, namespace: ${e.namespace}}

spec:

${e.spec}`;
}

function apply(bench: Bench, e: Edit): void {
  if (e.spec === undefined) bench.remove(e.kind, `${e.namespace}/${e.name}`);
  else bench.set(yamlOf(e));
}

/** Translation with networks; a service defines the gateway of one of them. */
function startNetworks(features: Partial<Features> = {}): Bench {
  const bench = startTranslation(undefined, { ...DEFAULT_FEATURES, ...features });
  bench.apply({ networks: NETWORKS });
  bench.writer.writeAsked(ASKED, []);
  bench.translation.publish();
  return bench;
}

const CLASSES: readonly Readonly<Record<string, string>>[] = [{}, { app: "narrow" }];

/** Names that proxies on demand asked for: hosts that come and go, by different names. */
const ASKED: readonly AskedName[] = CLASSES.flatMap((labels) => {
  const workload = workloadClasses.encode({ namespace: "one", serviceAccount: "", labels });
  return ["a.example", "c", "c.one.svc", "x.wild.example", "only.route.example", "240.0.0.1", "no"]
    .flatMap((host) => [80, 90].map((table) => ({ workload, name: `${table}/${host}` })));
});

const NETWORKS = create(MeshNetworksSchema, {
  networks: {
    near: { gateways: [{ gw: { case: "address", value: "192.0.2.1" }, port: 15443 }] },
    far: {
      endpoints: [{ ne: { case: "fromCidr", value: "10.1.0.0/16" } }],
      gateways: [{ gw: { case: "registryServiceName", value: "a.example" }, port: 15443 }],
    },
  },
});

/** True if a copy has the names and versions of a view. Sorting both for an assertion takes longer. */
function isCopyOf(view: View, copy: ReadonlyMap<string, string>): boolean {
  const names = new Set<string>();
  for (const { name, version } of view.entries()) {
    if (copy.get(name) !== version) return false;
    names.add(name);
  }
  return names.size === copy.size;
}

/** A proxy that applies only deltas. */
function follower(
  bench: Bench,
  node: ProxyNode,
): { binding: ProxyBinding; check(step: string): void } {
  let moved = false;
  const binding = bench.translation.source.bind(node, () => moved = true);
  const held = new Map<string, { view: View; copy: Map<string, string>; at: number }>();
  for (const url of Object.values(TYPE_URLS)) {
    const view = binding.view(url);
    if (view === undefined) continue;
    held.set(url, {
      view,
      copy: new Map(Object.entries(contentOf(view))),
      at: bench.translation.source.revision,
    });
  }
  const follow = (
    changed: Iterable<Resource>,
    removed: Iterable<string>,
    copy: Map<string, string>,
  ) => {
    for (const r of changed) copy.set(r.name, r.version);
    for (const name of removed) copy.delete(name);
  };
  return {
    binding,
    check: (step) => {
      for (const [url, h] of held) {
        const view = binding.view(url)!;
        const delta = view === h.view && !moved ? view.since(h.at)! : view.diffFrom(h.view, h.at);
        follow(delta.changed, delta.removed, h.copy);
        h.view = view;
        h.at = bench.translation.source.revision;
        if (isCopyOf(view, h.copy)) continue;
        const copy = Object.fromEntries([...h.copy].sort(([a], [b]) => (a < b ? -1 : 1)));
        assert.deepEqual(copy, contentOf(view), `${step}: deltas of ${url}`);
      }
      moved = false;
    },
  };
}

/** Proxies whose clusters are restricted to those that their routes use. */
const GATEWAYS: readonly ProxyNode[] = PROXIES.filter(({ role }) => role === "router");

const NARROWED: Partial<Features> = { filterGatewayClusters: true };

const WORLDS = [
  ["", PROXIES, 1000, {}],
  [", explained", EXPLAINED, 150, {}],
  [", gateways' clusters as they are used", GATEWAYS, 300, NARROWED],
] as const;

for (const [whose, proxies, numRuns, features] of WORLDS) {
  Deno.test(`incremental translation equals translation from scratch${whose}`, () => {
    fc.assert(
      fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 12 }), (edits) => {
        const bench = startNetworks(features);
        const followers = proxies.map((node) => follower(bench, node));
        const state = new Map<string, Edit>();
        for (const [i, e] of edits.entries()) {
          apply(bench, e);
          state.set(`${e.kind}/${e.namespace}/${e.name}`, e);
          for (const f of followers) f.check(`edit ${i}`);
        }
        const scratch = startNetworks(features);
        for (const e of state.values()) if (e.spec !== undefined) apply(scratch, e);
        for (const [i, node] of proxies.entries()) {
          const fresh = scratch.translation.source.bind(node, () => {});
          assert.deepEqual(everything(followers[i]!.binding), everything(fresh), `proxy ${i}`);
        }
        assert.deepEqual(bench.graph.faults(), []);
      }),
      { numRuns, ...SEED },
    );
  });
}

/**
 * Ports whose tables have no virtual host of a service that a proxy of namespace
 * `one` sees: layers keep such a table, and HTTP in the port's listener, when the
 * only HTTP service there lost its host to another definition.
 */
function idlePorts({ translation: { mesh }, graph }: Bench, binding: ProxyBinding): string[] {
  return [...binding.view(TYPE_URLS.route)!.entries()].flatMap((table) => {
    // The table of a single host has a listener wherever it is.
    if (table.name.includes(":")) return [];
    const { virtualHosts } = fromBinary(RouteConfigurationSchema, table.bytes);
    const serves = virtualHosts.some((v) => {
      const key = graph.peek(mesh.services.resolve, { namespace: "one", host: v.domains[0]! });
      const service = key === undefined ? undefined : graph.peek(mesh.services.service, key);
      return service?.ports.some(({ number }) => `${number}` === table.name);
    });
    return serves ? [] : [table.name];
  });
}

function sidecarOf(name: string, hosts: string, selector: string): string {
  return `apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: ${name}, namespace: one}

spec:

${selector}  egress: [{hosts: ${hosts}}]

`;
}

const PLACED = proxyNode("one", {
  locality: { region: "r1", zone: "z2", subzone: "" },
  metadata: { NETWORK: "near" },
});

const entryOf = (name: string, address: string, port: string) => ({
  kind: "ServiceEntry" as const,
  name,
  namespace: "one",
  spec: `  hosts: ["a.example"]
${address}  resolution: STATIC
  location: MESH_INTERNAL
  ports: [${port}]
  endpoints: [{address: 10.0.0.1}]
`,
});

/** Two entries of a host: its address is that of the oldest, its ports are those of both. */
const ADDRESS_OF_ANOTHER_ENTRY = [
  entryOf("m", "", "{number: 80, name: bytes, protocol: TCP}"),
  entryOf("k", "  addresses: [240.0.0.1]\n", "{number: 90, name: tls, protocol: TLS}"),
];

Deno.test("the layers serve the same as a Sidecar that imports everything", () => {
  const all = sidecarOf("all", "['*/*']", "");
  fc.assert(
    fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 12 }), (edits) => {
      const bench = startTranslation();
      for (const e of edits) if (e.kind !== "Sidecar") apply(bench, e);
      bench.apply({ networks: NETWORKS });
      const layered = bench.translation.source.bind(PLACED, () => {});
      const before = everything(layered);
      const idle = idlePorts(bench, layered);
      layered.close();
      bench.set(all);
      const whole = bench.translation.source.bind(PLACED, () => {});
      const after = everything(whole);
      for (const port of idle) {
        for (const served of [before, after]) {
          delete served.route![port];
          delete served.listener![`0.0.0.0_${port}`];
        }
      }
      for (const type of ["cluster", "endpoint", "listener", "route"]) {
        assert.deepEqual(before[type], after[type], type);
      }
    }),
    { numRuns: 1000, examples: [[[...ADDRESS_OF_ANOTHER_ENTRY]]], ...SEED },
  );
});

/** Returns the content of a route table, with virtual hosts by name, in any order. */
function contentOfTable(table: RouteConfiguration): unknown {
  const { virtualHosts, ...rest } = table;
  const hosts = virtualHosts.map((v) => [v.name, hash(toBinary(VirtualHostSchema, v))]);
  return { ...rest, vhds: undefined, hosts: hosts.sort() };
}

/** Route tables of a proxy with VHDS, joined with their virtual hosts. */
function joinedTables(binding: ProxyBinding): Record<string, unknown> {
  const hosts = [...binding.view(TYPE_URLS.virtualHost)!.entries()].map((r) => {
    const host = fromBinary(VirtualHostSchema, r.bytes);
    assert.equal(host.name, r.name, "Envoy removes resources by this name");
    const slash = r.name.lastIndexOf("/");
    return { table: r.name.slice(0, slash), host: { ...host, name: r.name.slice(slash + 1) } };
  });
  // Virtual hosts of a missing table have no subscriber.
  return wholeTables(binding, (table) => {
    // A table of a single host is whole.
    const apart = !table.name.includes(":");
    assert.equal(table.vhds?.configSource !== undefined, apart, table.name);
    const own = hosts.filter((h) => h.table === table.name).map((h) => h.host);
    return { ...table, virtualHosts: [...table.virtualHosts, ...own] };
  });
}

function wholeTables(
  binding: ProxyBinding,
  complete: (table: RouteConfiguration) => RouteConfiguration = (table) => table,
): Record<string, unknown> {
  const tables = [...binding.view(TYPE_URLS.route)!.entries()]
    .map((r) => fromBinary(RouteConfigurationSchema, r.bytes));
  return Object.fromEntries(tables.map((t) => [t.name, contentOfTable(complete(t))]));
}

Deno.test("a skeleton and its virtual hosts are the whole table", () => {
  const open = sidecarOf("open", "['*/*']", "  workloadSelector: {labels: {app: open}}\n");
  fc.assert(
    fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 12 }), (edits) => {
      const bench = startTranslation();
      bench.set(open);
      for (const e of edits) apply(bench, e);
      for (const ns of ["one", "two"]) {
        for (const app of ["wide", "narrow", "open", "gw"]) {
          const node = { labels: { app }, ...(app === "gw" ? { role: "router" } as const : {}) };
          const [whole, apart] = [{}, TAKES_PARTS].map((more) =>
            bench.translation.source.bind(proxyNode(ns, { ...node, ...more }), () => {})
          ) as [ProxyBinding, ProxyBinding];
          assert.equal(whole.view(TYPE_URLS.virtualHost), undefined);
          assert.deepEqual(joinedTables(apart), wholeTables(whole));
        }
      }
    }),
    { numRuns: 500, ...SEED },
  );
});

/** Provenance of a resource. */
interface Explained {
  readonly view: View;
  readonly cell: CellRef;
  readonly version: string;
  readonly origins: ReadonlySet<string>;
}

/** Explains all that a proxy sees; asserts that explanations are exact and name only what was read. */
function explainAll({ graph, translation }: Bench, binding: ProxyBinding): Explained[] {
  return Object.values(TYPE_URLS).flatMap((type) => {
    const view = binding.view(type);
    return [...view?.entries() ?? []].map(({ name, version }): Explained => {
      const cell = view!.cellOf(name)!;
      const layer = view!.layers.find((l) => l.get(name) !== undefined)!;
      const why = provenanceOf({ mesh: translation.mesh, view: view!, type, name })!;
      const origins = new Set(graph.origins(cell.table, cell.key));
      const imports = why.groups.some((g) => g.group === "import")
        ? new Set(graph.origins(layer.name, ""))
        : origins;
      for (const o of why.objects) {
        const ref = `${o.kind}/${o.namespace}/${o.name}`;
        assert.ok(origins.has(ref) || imports.has(ref), `${name}: ${ref} was not read`);
      }
      if (why.groups.length > 0) assert.equal(why.exact, true, `${name} of ${cell.table}`);
      return { view: view!, cell, version, origins };
    });
  });
}

/** The port has HTTP because of the entry that everybody sees; that of `mesh-system` was not read. */
const HTTP_OF_EVERYBODY: readonly Edit[] = [
  ["k", "one", "a.example", "  exportTo: [two]\n", "80, name: bytes, protocol: TCP"],
  ["m", "one", "a.example", "", "80, name: http, protocol: HTTP"],
  ["k", "mesh-system", HOSTS[2]!, "  exportTo: [two]\n", "80, name: http, protocol: HTTP"],
].map(([name, namespace, host, exported, port]) => ({
  kind: "ServiceEntry",
  name: name!,
  namespace: namespace!,
  spec: `  hosts: ["${host}"]\n${exported}  resolution: STATIC\n  ports: [{number: ${port}}]\n` +
    "  endpoints: [{address: 10.0.0.1}]\n",
}));

Deno.test("explanations are exact and name only what was read, and nothing else matters", () => {
  fc.assert(
    fc.property(fc.array(anyEdit, { minLength: 2, maxLength: 12 }), fc.nat(), (edits, pick) => {
      const bench = startNetworks();
      const state = new Map<string, Edit>();
      for (const e of edits) {
        apply(bench, e);
        state.set(`${e.kind}/${e.namespace}/${e.name}`, e);
      }
      const bindings = [...PROXIES, ...EXPLAINED].map((node) =>
        bench.translation.source.bind(node, () => {})
      );
      const before = bindings.flatMap((binding) => explainAll(bench, binding));
      const [ref, removed] = [...state][pick % state.size]!;
      apply(bench, { ...removed, spec: undefined });
      for (const { view, cell, version, origins } of before) {
        if (origins.has(ref)) continue;
        const kept = [...view.entries()].filter((r) => {
          const now = view.cellOf(r.name)!;
          return now.table === cell.table && now.key === cell.key;
        });
        if (kept.length > 0) {
          assert.ok(kept.some((r) => r.version === version), `${ref}: ${cell.key}`);
        }
      }
    }),
    { numRuns: 60, examples: [[[...HTTP_OF_EVERYBODY], 0]], ...SEED },
  );
});
