/**
 * The answer equals the effect: edits are evaluated, then applied, and the views of proxies
 * compared with the answer.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type ProxyBinding, type ProxyNode, TYPE_URLS } from "../../mesh/model/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { createPipeline } from "../../mesh/translate/mod.ts";
import {
  type Bench,
  changeOf,
  DEFAULT_FEATURES,
  everything,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { endpoint, manifest, serviceEntry, to } from "../../../tests/support/manifest.ts";
import { parseMeshConfig, parseMeshNetworks } from "../../mesh/schema/mod.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import {
  type Answer,
  createWhatIf,
  type Prediction,
  predictionJson,
  renderPrediction,
  type WhatIf,
} from "./mod.ts";

/** CI uses a fixed seed. */
const SEED = Deno.env.get("CI") === undefined ? {} : { seed: 20_261 };

const NODES: readonly ProxyNode[] = [
  proxyNode("one", { name: "a" }),
  proxyNode("one", { name: "b" }),
  proxyNode("two", { name: "c", ip: "10.0.0.2", ips: ["10.0.0.2"] }),
  proxyNode("one", { name: "narrow", labels: { app: "narrow" } }),
  proxyNode("one", { name: "gw", role: "router", labels: { app: "gw" } }),
];

/** A proxy's binding, as a session that is subscribed to everything. */
function session(bench: Bench, node: ProxyNode): { info: SessionInfo; binding: ProxyBinding } {
  const binding = bench.translation.source.bind(node, () => {});
  const info: SessionInfo = {
    connectionId: node.name,
    connectedAt: new Date(0),
    address: node.ip,
    node,
    get classKey() {
      return binding.classKey;
    },
    variant: "delta",
    behind: false,
    types: [],
    view: (typeUrl) => binding.view(typeUrl),
  };
  return { info, binding };
}

interface Stage {
  readonly bench: Bench;
  readonly bindings: readonly ProxyBinding[];
  readonly whatif: WhatIf;
}

function stage(nodes: readonly ProxyNode[] = NODES): Stage {
  const bench = startTranslation();
  const connected = nodes.map((node) => session(bench, node));
  const whatif = createWhatIf({
    live: bench,
    make: (graph) =>
      createPipeline(graph, {
        domain: "cluster.local",
        clusterId: "test",
        features: DEFAULT_FEATURES,
      }),
    sessions: () => connected.map(({ info }) => info),
  });
  return { bench, bindings: connected.map(({ binding }) => binding), whatif };
}

const NEVER = new AbortController().signal;

async function predict(whatif: WhatIf, documents: string, removals: string[] = []) {
  const answer = await whatif.ask({ documents, removals }, NEVER);
  assert.equal(answer.kind, "predicted", JSON.stringify(answer));
  return (answer as Answer & { kind: "predicted" }).prediction;
}

function document(kind: string, name: string, namespace: string, spec: string): string {
  return `apiVersion: networking.mesh.io/v1\nkind: ${kind}\n` +
    `metadata: {name: ${name}, namespace: ${namespace}}\nspec: ${spec}\n`;
}

function service(name: string, port: string, endpoint = "10.0.0.1", more = ""): string {
  return document(
    "ServiceEntry",
    name,
    "one",
    `{hosts: [${name}.example], location: MESH_INTERNAL, resolution: STATIC, ports: [{number: ${port}}], ` +
      `endpoints: [{address: ${endpoint}}]${more}}`,
  );
}

const HTTP = "80, name: http, protocol: HTTP";
const name = fc.constantFrom("k", "l", "m");
const namespace = fc.constantFrom("one", "two");
const anyDocument = fc.oneof(
  fc.record({
    name,
    port: fc.constantFrom(HTTP, "90, name: tcp, protocol: TCP", "90, name: found"),
    endpoint: fc.constantFrom("10.0.0.1", "10.0.0.2", "172.16.0.1"),
    exportTo: fc.constantFrom("", ", exportTo: ['.']"),
  }).map((r) => service(r.name, r.port, r.endpoint, r.exportTo)),
  fc.record({ name, namespace, timeout: fc.integer({ min: 1, max: 3 }) }).map((r) =>
    document(
      "VirtualService",
      r.name,
      r.namespace,
      `{hosts: [${r.name}.example], http: [{timeout: ${r.timeout}s, route: [{destination: {host: k.example}}]}]}`,
    )
  ),
  fc.record({ name, namespace, connections: fc.integer({ min: 1, max: 3 }) }).map((r) =>
    document(
      "DestinationRule",
      r.name,
      r.namespace,
      `{host: ${r.name}.example, trafficPolicy: {connectionPool: {tcp: {maxConnections: ${r.connections}}}}}`,
    )
  ),
  fc.constantFrom("['*/*']", "['./*']", "['one/k.example']").map((hosts) =>
    document(
      "Sidecar",
      "sc",
      "one",
      `{workloadSelector: {labels: {app: narrow}}, egress: [{hosts: ${hosts}}]}`,
    )
  ),
  fc.constantFrom("['*']", "[k.example]").map((hosts) =>
    document(
      "Gateway",
      "gw",
      "one",
      `{selector: {app: gw}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ${hosts}}]}`,
    )
  ),
);

/** A set of edits: documents to set, or to remove if they exist. */
const anyEdits = fc.array(fc.tuple(anyDocument, fc.boolean()), { minLength: 1, maxLength: 4 });

function split(edits: readonly (readonly [string, boolean])[], { bench }: Stage) {
  const last = new Map<string, { yaml: string; remove: boolean }>();
  for (const [yaml, remove] of edits) {
    const { meta } = objectsOf(yaml)[0]!;
    last.set(`${meta.kind}/${meta.namespace}/${meta.name}`, { yaml, remove });
  }
  const there = (id: string) => {
    const [kind, ...key] = id.split("/");
    const tables: Record<string, { peek(key: string): unknown }> = Object.fromEntries(
      Object.values(bench.translation.mesh.tables).map((table) => [table.name, table]),
    );
    return tables[kind!]!.peek(key.join("/")) !== undefined;
  };
  const all = [...last];
  return {
    documents: all.filter(([, e]) => !e.remove).map(([, e]) => e.yaml).join("---\n"),
    removals: all.filter(([id, e]) => e.remove && there(id)).map(([id]) => id),
  };
}

/** Possible content of a mesh configuration. */
const anySettings = fc.record({
  service: fc.constantFrom("", "defaultServiceExportTo: ['.']", "defaultServiceExportTo: ['two']"),
  routes: fc.constantFrom("", "defaultVirtualServiceExportTo: ['.']"),
  rules: fc.constantFrom("", "defaultDestinationRuleExportTo: ['.', 'two']"),
  policy: fc.constantFrom("", "outboundTrafficPolicy: {mode: REGISTRY_ONLY}"),
  sight: fc.constantFrom(
    "",
    "",
    "discoverySelectors: [{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [two]}]}]",
  ),
}).map((lines) =>
  ["rootNamespace: mesh-system", ...Object.values(lines)].filter((l) => l !== "").join("\n") + "\n"
);

const anyNetworks = fc.constantFrom("10.0.0.1/32", "10.0.0.2/32").map((cidr) =>
  `networks: {far: {endpoints: [{fromCidr: ${cidr}}], gateways: [{address: 192.0.2.1, port: 15443}]}}\n`
);

interface Settings {
  readonly mesh?: string | undefined;
  readonly networks?: string | undefined;
}

/** Settings as documents of a question. */
function settingsDocuments({ mesh, networks }: Settings): string {
  return (mesh === undefined ? "" : `---\nkind: MeshConfig\n${mesh}`) +
    (networks === undefined ? "" : `---\nkind: MeshNetworks\n${networks}`);
}

function apply(
  { bench }: Stage,
  documents: string,
  removals: readonly string[],
  settings: Settings = {},
): void {
  bench.apply({
    ...settings.mesh && { mesh: parseMeshConfig(settings.mesh, "").value! },
    ...settings.networks && { networks: parseMeshNetworks(settings.networks, "").value! },
    objects: [
      ...documents === "" ? [] : objectsOf(documents).map(changeOf),
      ...removals.map((id) => {
        const [kind, ...key] = id.split("/");
        return { kind: kind as "Sidecar", key: key.join("/"), object: undefined };
      }),
    ],
  });
}

/** The expected resources of each proxy, from its current ones and the answer. */
function predicted(
  prediction: Prediction,
  now: readonly Record<string, Record<string, string>>[],
): Record<string, Record<string, string>>[] {
  return now.map((types, i) => {
    const node = NODES[i]!;
    const own = prediction.classes.findIndex((c) =>
      c.proxies.includes(`${node.name}.${node.namespace}`)
    );
    const changes = prediction.changes.filter(({ classes }) => classes.includes(own));
    return Object.fromEntries(
      Object.entries(types).map(([short, content]) => {
        const next = { ...content };
        const typeUrl = TYPE_URLS[short as keyof typeof TYPE_URLS];
        for (const r of changes) {
          if (r.typeUrl !== typeUrl) continue;
          assert.equal(content[r.name], r.versions.before, `${r.name} as it is`);
          if (r.versions.after === undefined) delete next[r.name];
          else next[r.name] = r.versions.after;
        }
        return [short, Object.fromEntries(Object.entries(next).sort(([a], [b]) => a < b ? -1 : 1))];
      }),
    );
  });
}

/** Edits, sometimes with other settings of the mesh. */
const anyStep = fc.tuple(
  anyEdits,
  fc.record({
    mesh: fc.option(anySettings, { nil: undefined, freq: 3 }),
    networks: fc.option(anyNetworks, { nil: undefined, freq: 1 }),
  }),
);

Deno.test("a what-if answer equals the effect of the edit, and changes nothing itself", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (steps) => {
      const world = stage();
      for (const [step, settings] of steps) {
        const { documents, removals } = split(step, world);
        const { graph } = world.bench;
        const before = world.bindings.map(everything);
        const [revision, computed] = [graph.revision, graph.stats().computed];
        const asked = documents + settingsDocuments(settings);
        const prediction = await predict(world.whatif, asked, removals);
        assert.deepEqual([graph.revision, graph.stats().computed], [revision, computed]);
        assert.equal(prediction.revision, revision);
        const expected = predicted(prediction, before);
        apply(world, documents, removals, settings);
        assert.deepEqual(expected, world.bindings.map(everything));
        assert.deepEqual(prediction.faults, []);
      }
    }),
    { numRuns: 150, ...SEED },
  );
});

Deno.test("a changed timeout is reported for the affected proxies only", async () => {
  const world = stage();
  const rule = (timeout: string) =>
    document(
      "VirtualService",
      "k",
      "two",
      `{hosts: [k.example], exportTo: ['.'], http: [{timeout: ${timeout}, route: [{destination: {host: k.example}}]}]}`,
    );
  apply(world, `${service("k", HTTP)}---\n${rule("1s")}`, []);
  const prediction = await predict(world.whatif, rule("90s"));
  assert.deepEqual(prediction.edits, [{ object: "VirtualService/two/k", change: "changed" }]);
  assert.deepEqual(prediction.proxies, { connected: 5, concerned: 1 });
  const [one] = prediction.classes;
  assert.deepEqual([one?.proxies, one?.moves], [["c.two"], false]);
  assert.deepEqual(prediction.changes.map(({ name, classes }) => [name, classes]), [["80", [0]]]);
  assert.deepEqual(prediction.changes[0]?.fields, [
    { path: "virtualHosts[k.example:80].routes[0].route.timeout", before: "1s", after: "1m30s" },
    {
      path: "virtualHosts[k.example:80].routes[0].route.maxGrpcTimeout",
      before: "1s",
      after: "1m30s",
    },
  ]);
  const text = renderPrediction(prediction);
  assert.match(text, /1 of 5 proxies are affected/);
  assert.match(
    text,
    /sidecar in two: c\.two\n {2}RouteConfiguration 80 changed \(\d+ → \d+ bytes\)/,
  );
  assert.match(text, /~ virtualHosts\[k\.example:80\]\.routes\[0\]\.route\.timeout: 1s → 1m30s/);
});

Deno.test("a change that several classes have is one entry with all of them", async () => {
  const world = stage();
  const { classes, changes, ...rest } = await predict(world.whatif, service("k", HTTP));
  const cluster = changes.filter(({ name }) => name === "outbound|80||k.example");
  const sidecars = classes.flatMap((one, i) => one.class.role === "sidecar" ? [i] : []);
  assert.ok(sidecars.length > 1);
  const reached = new Set(cluster.flatMap((change) => change.classes));
  assert.ok(sidecars.every((index) => reached.has(index)));
  assert.ok(cluster.length < reached.size, JSON.stringify(cluster));
  const ids = changes.map((c) => [c.typeUrl, c.name, c.versions.before, c.versions.after].join());
  assert.equal(new Set(ids).size, ids.length);
  const text = renderPrediction({ classes, changes, ...rest });
  const named = text.split("\n").filter((line) => line.includes(" outbound|80||k.example added"));
  assert.equal(named.length, cluster.length, text);
});

Deno.test("an empty edit changes nothing; replicas are reported together", async () => {
  const world = stage();
  const same = service("k", HTTP);
  apply(world, same, []);
  const nothing = await predict(world.whatif, same);
  assert.deepEqual([nothing.edits[0]?.change, nothing.classes], ["unchanged", []]);
  const removed = await predict(world.whatif, "", ["ServiceEntry/one/k"]);
  assert.equal(removed.proxies.concerned, 5);
  assert.ok(removed.classes.some(({ proxies }) => proxies.join() === "a.one,b.one"));
});

Deno.test("a proxy beside which a service appears moves to another class", async () => {
  const world = stage();
  const prediction = await predict(world.whatif, service("k", HTTP, "10.0.0.2"));
  const moved = prediction.classes.filter(({ moves }) => moves);
  assert.deepEqual(moved.map(({ proxies }) => proxies), [["c.two"]]);
});

Deno.test("settings of the mesh are predicted, with their default exports", async () => {
  const world = stage();
  apply(world, service("k", HTTP), []);
  const prediction = await predict(
    world.whatif,
    "kind: MeshConfig\nrootNamespace: mesh-system\ndefaultServiceExportTo: ['.']\n",
  );
  assert.deepEqual(prediction.edits, [{ object: "MeshConfig", change: "changed" }]);
  const gone = prediction.changes.filter((change) =>
    change.typeUrl === TYPE_URLS.cluster && change.name === "outbound|80||k.example" &&
    change.change === "removed"
  );
  const proxies = gone.flatMap(({ classes }) => classes.map((i) => prediction.classes[i]?.proxies));
  assert.deepEqual(proxies, [["c.two"]]);
  const { warnings, edits } = await predict(
    world.whatif,
    "apiVersion: v1\nkind: MeshNetworks\nnetworks: {}\nnetwork: 1\n",
  );
  assert.deepEqual(edits, [{ object: "MeshNetworks", change: "unchanged" }]);
  assert.deepEqual(warnings.map(({ line, path }) => [line, path]), [[4, "network"]]);
});

const WRONG: readonly (readonly [string, string, string[], RegExp, number])[] = [
  ["a field that does not exist", document("Sidecar", "a", "b", "{egres: []}"), [], /egres/, 4],
  ["no YAML", "a: [", [], /./, 1],
  ["settings that are none", "kind: MeshConfig\nrootNamespace: [1]\n", [], /./, 2],
  ["settings twice", "kind: MeshNetworks\n---\nkind: MeshNetworks\n", [], /earlier document/, 3],
  [
    "an object twice",
    `${service("k", HTTP)}---\n${service("k", HTTP)}`,
    [],
    /already defined at request:1/,
    6,
  ],
  ["a removal of what is not there", "", ["Sidecar/one/x"], /there is no Sidecar one\/x/, 1],
  ["a removal without a namespace", "", ["Sidecar/x"], /not the name of an object/, 1],
  ["a kind that is not known", "", ["Sidecars/one/x"], /not the name of an object/, 1],
];

for (const [what, documents, removals, message, line] of WRONG) {
  Deno.test(`${what} is refused with its position and a remedy`, async () => {
    const answer = await stage().whatif.ask({ documents, removals }, NEVER);
    assert.equal(answer.kind, "invalid");
    const [problem] = (answer as Answer & { kind: "invalid" }).problems;
    assert.match(problem!.message, message);
    assert.equal(problem!.line, line);
    assert.notEqual(problem!.remedy, "");
  });
}

Deno.test("a WorkloadGroup is an edit, whose registered workloads the answer leaves out", async () => {
  const group = "apiVersion: networking.mesh.io/v1\nkind: WorkloadGroup\n" +
    "metadata: {name: t, namespace: one}\nspec: {template: {serviceAccount: t}}\n";
  const prediction = await predict(stage().whatif, group);
  assert.deepEqual(prediction.edits, [{ object: "WorkloadGroup/one/t", change: "added" }]);
  assert.ok(prediction.warnings.some(({ code }) => code === "no-effect"));
});

Deno.test("one question runs at a time, in pieces, and an abandoned one ends", async () => {
  const world = stage();
  const many = Array.from({ length: 400 }, (_, i) => service(`s${i}`, HTTP)).join("---\n");
  apply(world, many, []);
  const leave = new AbortController();
  const first = world.whatif.ask({ documents: service("new", HTTP), removals: [] }, leave.signal);
  const second = await world.whatif.ask({ documents: "", removals: [] }, NEVER);
  assert.equal(second.kind, "busy");
  leave.abort(new Error("left"));
  await assert.rejects(first, /left/);
  const third = await predict(world.whatif, service("new", HTTP));
  assert.ok(third.took.ms > third.took.longestSliceMs, JSON.stringify(third.took));
});

Deno.test("a what-if answer is written as JSON in pieces", async () => {
  const { bench, whatif } = stage();
  for (const port of [80, 90]) {
    const host = `a${port}.test`;
    bench.set(serviceEntry(`a${port}`, [host], { number: port, protocol: "HTTP" }, [endpoint(1)]));
  }
  const hosts = ["a80.test", "a90.test"];
  const rule = manifest("VirtualService", "v", { hosts, http: [to("a80.test")] });
  const found = await whatif.ask({ documents: rule, removals: [] }, new AbortController().signal);
  assert.ok(found.kind === "predicted" && found.prediction.changes.length > 1);
  let pauses = 0;
  const text = await predictionJson(found.prediction, () => (pauses++, undefined));
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(found.prediction)));
  assert.equal(pauses, found.prediction.changes.length);
});
