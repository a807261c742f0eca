/** Patches, by cases: which resources each changes, and how. */
import assert from "node:assert/strict";
import { assertGolden } from "../../../../tests/support/golden.ts";
import {
  LUA,
  PATCH_CASES,
  type PatchCase,
  PATCHED_MESH,
  PROCESSOR,
} from "../../../../tests/support/patch_cases.ts";
import {
  type Bench,
  everything,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import { diffResource, renderChanges, showResource } from "../../../insight/diff/mod.ts";
import { missingFeatures, type ProxyNode } from "../../model/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const GOLDENS = new URL("./testdata/", import.meta.url);

const PROXIES: Readonly<Record<PatchCase["proxy"], ProxyNode>> = {
  client: proxyNode("one", { labels: { app: "client" } }),
  server: proxyNode("one", { ip: "10.0.0.2", labels: { app: "server" } }),
  gateway: proxyNode("one", { role: "router", labels: { app: "gw" } }),
};

/** A DataproxyFilter in YAML. */
function filter(name: string, patches: readonly string[], more = ""): string {
  const items = patches.map((patch) => `  - ${patch}\n`).join("");
  return `apiVersion: networking.mesh.io/v1alpha3

kind: DataproxyFilter

metadata: {name: ${name}, namespace: one}

spec:

${more}  configPatches:

${items}`;
}

/** Types that patches change. */
const TYPES = ["cluster", "listener", "route", "virtualHost", "extension"] as const;

/** The resources of a proxy, by type and name. */
function served(bench: Bench, node: ProxyNode): Record<string, Record<string, Uint8Array>> {
  const binding = bench.translation.source.bind(node, () => {});
  const all = TYPES.map((short) => {
    const entries = [...binding.view(TYPE_URLS[short])?.entries() ?? []];
    return [short, Object.fromEntries(entries.map((r) => [r.name, r.bytes]))] as const;
  });
  binding.close();
  return Object.fromEntries(all);
}

/**
 * Returns the differences of each resource, one per line, and the order of filters if it differs.
 */
function differences(
  before: ReturnType<typeof served>,
  after: ReturnType<typeof served>,
): Record<string, Record<string, string[]>> {
  const out: Record<string, Record<string, string[]>> = {};
  for (const type of TYPES) {
    const [old, now] = [before[type]!, after[type]!];
    for (const name of [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()) {
      const changes = diffResource(TYPE_URLS[type], old[name], now[name]);
      const lines = renderChanges(changes).split("\n").filter((line) => line !== "");
      const order = namesIn(type, now[name]);
      if (namesIn(type, old[name]) !== order) lines.push(`order: ${order}`);
      if (lines.length > 0) (out[type] ??= {})[name] = lines;
    }
  }
  return out;
}

/** Names of filters and routes, in their order. */
function namesIn(type: typeof TYPES[number], bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "";
  const json = showResource(TYPE_URLS[type], bytes);
  const found = JSON.stringify(json).matchAll(
    /"name":"([^"]+)","typedConfig"|"(?:prefix|path)":"([^"]+)"/g,
  );
  const names = [...found].map(([, filter, route]) => filter ?? route!);
  return [...new Set(names)].map((name) => name.replace(/^envoy\.filters\./, "")).join(" ");
}

/** A resource as JSON. */
function shown(type: typeof TYPES[number], bytes: Uint8Array): string {
  return JSON.stringify(showResource(TYPE_URLS[type], bytes));
}

for (const { name, proxy, patches, apart } of PATCH_CASES) {
  Deno.test(`patch: ${name}`, async () => {
    const node = apart ? { ...PROXIES[proxy], ...TAKES_PARTS } : PROXIES[proxy];
    const bench = startTranslation();
    bench.set(PATCHED_MESH);
    const before = served(bench, node);
    bench.set(filter("patch", patches));
    const changed = differences(before, served(bench, node));
    assert.notDeepEqual(changed, {}, "the patch changes something");
    assert.deepEqual(bench.translation.patches.faults(), []);
    assert.deepEqual(bench.graph.faults(), []);
    await assertGolden(new URL(`${name}.golden.json`, GOLDENS), changed);
    bench.remove("DataproxyFilter", "one/patch");
    assert.deepEqual(served(bench, node), before, "without the patch all is as before");
  });
}

Deno.test("patches are applied in order: the root namespace's first, then by priority, age and name", () => {
  const bench = startTranslation();
  bench.set(PATCHED_MESH);
  const binding = bench.translation.source.bind(PROXIES.client, () => {});
  const first = (name: string) =>
    `{applyTo: HTTP_FILTER, match: {listener: {portNumber: 80}}, patch: {operation: INSERT_FIRST, value: ${
      LUA.replace("lua", name)
    }}}`;
  bench.set(filter("b", [first("second")], "  priority: 5\n"));
  bench.set(filter("a", [first("third")], "  priority: 5\n").replace("name: a", "name: c"));
  bench.set(filter("z", [first("first")], "  priority: -1\n"));
  bench.set(
    filter("root", [first("root")], "  priority: 9\n").replace("space: one", "space: mesh-system"),
  );
  const json = shown("listener", binding.view(TYPE_URLS.listener)!.get("0.0.0.0_80")!.bytes);
  const found = [...json.matchAll(/"name":"(first|second|third|root)"/g)].map(([, name]) => name);
  assert.deepEqual(found, ["third", "second", "first", "root"], "each is put before the others");
});

Deno.test("a patch is for the proxies it chooses by labels, version and metadata", () => {
  const bench = startTranslation();
  bench.set(PATCHED_MESH);
  const node = (version: string, metadata: Record<string, string>, app: string) =>
    proxyNode("one", { labels: { app }, metadata: { MESH_VERSION: version, ...metadata } });
  const nodes: Record<string, ProxyNode> = {
    yes: node("1.2.3", { tier: "gold" }, "client"),
    version: node("1.3.0", { tier: "gold" }, "client"),
    silent: node("", { tier: "gold" }, "client"),
    metadata: node("1.2.3", { tier: "tin" }, "client"),
    labels: node("1.2.3", { tier: "gold" }, "other"),
    elsewhere: { ...node("1.2.3", { tier: "gold" }, "client"), namespace: "two" },
  };
  const looks = () =>
    Object.fromEntries(
      Object.entries(nodes).map(([name, one]) => {
        const binding = bench.translation.source.bind(one, () => {});
        const all = everything(binding);
        binding.close();
        return [name, JSON.stringify(all)] as const;
      }),
    );
  const before = looks();
  bench.set(filter("f", [
    String
      .raw`{applyTo: CLUSTER, match: {proxy: {proxyVersion: '^1\.2\.', metadata: {tier: gold}}}, patch: {operation: MERGE, value: {connectTimeout: 7s}}}`,
  ], "  workloadSelector: {labels: {app: client}}\n"));
  const after = looks();
  const touched = Object.keys(nodes).filter((name) => before[name] !== after[name]);
  assert.deepEqual(touched, ["yes"]);
});

Deno.test("a patch with an enum value that a proxy's Envoy lacks is left out for it", () => {
  const bench = startTranslation();
  bench.set(PATCHED_MESH);
  const insert = (value: string) =>
    `{applyTo: HTTP_FILTER, match: {listener: {portNumber: 80}}, patch: {operation: INSERT_FIRST, value: ${value}}}`;
  bench.set(filter("f", [insert(PROCESSOR), insert(LUA)]));
  const modes = (version: string) => {
    const missing = missingFeatures({ extensions: new Set(), version, userAgent: "envoy" });
    const listener = served(bench, { ...PROXIES.client, missing }).listener!["0.0.0.0_80"]!;
    const json = shown("listener", listener);
    assert.match(json, /"name":"lua"/, version);
    return [...json.matchAll(/"(?:request|response)BodyMode":"(\w+)"/g)].map(([, mode]) => mode);
  };
  assert.deepEqual(modes("1.36.4"), []);
  assert.deepEqual(modes("1.37.0"), ["FULL_DUPLEX_STREAMED", "GRPC"]);
  assert.deepEqual(modes("1.40.0"), ["FULL_DUPLEX_STREAMED", "GRPC"]);
});

Deno.test("a patch that makes a resource invalid is left out of it and named; others apply", () => {
  const bench = startTranslation();
  bench.set(PATCHED_MESH);
  const binding = bench.translation.source.bind(PROXIES.client, () => {});
  bench.set(filter("bad", [
    "{applyTo: CLUSTER, match: {cluster: {service: a.example, portNumber: 80}}, patch: {operation: MERGE, value: {connectTimeout: 0s}}}",
    "{applyTo: CLUSTER, match: {cluster: {service: a.example}}, patch: {operation: MERGE, value: {lbPolicy: RANDOM}}}",
    "{applyTo: FILTER_CHAIN, match: {listener: {name: 240.0.0.1_9000}}, patch: {operation: REMOVE}}",
  ]));
  const cluster = served(bench, PROXIES.client).cluster!["outbound|80||a.example"]!;
  assert.match(shown("cluster", cluster), /"lbPolicy":"RANDOM"/);
  assert.ok(binding.view(TYPE_URLS.listener)!.get("240.0.0.1_9000"));
  const faults = bench.translation.patches.faults().filter((f) => !f.resource.includes("v1"));
  assert.deepEqual(faults, [
    {
      object: "DataproxyFilter/one/bad",
      field: "spec.configPatches[0]",
      type: "cluster",
      resource: "outbound|80||a.example",
      message: "connectTimeout is too short",
    },
    {
      object: "DataproxyFilter/one/bad",
      field: "spec.configPatches[2]",
      type: "listener",
      resource: "240.0.0.1_9000",
      message: "no filter chain would be left",
    },
  ]);
  const counts = bench.translation.patches.counts();
  assert.ok(counts.some((c) => c.type === "cluster" && c.applied > 0 && c.failed > 0));
  bench.set(filter("bad", [
    "{applyTo: CLUSTER, match: {}, patch: {operation: MERGE, value: {lbPolicy: RANDOM}}}",
  ]));
  served(bench, PROXIES.client);
  assert.deepEqual(bench.translation.patches.faults().filter((f) => f.type === "cluster"), []);
});

Deno.test("an edit of a patch changes the resources of its proxies only", () => {
  const bench = startTranslation();
  bench.set(PATCHED_MESH);
  const bindings = [PROXIES.client, proxyNode("one", { labels: { app: "other" } })].map((node) =>
    bench.translation.source.bind(node, () => {})
  );
  const look = () => bindings.forEach((binding) => everything(binding));
  const timeout = (value: string) =>
    filter("f", [
      `{applyTo: CLUSTER, match: {cluster: {name: "outbound|9000||tcp.example"}}, patch: {operation: MERGE, value: {connectTimeout: ${value}}}}`,
    ], "  workloadSelector: {labels: {app: client}}\n");
  look();
  bench.graph.resetStats();
  bench.set(timeout("7s"));
  look();
  const { computedByTable: first } = bench.graph.stats();
  const unpatched = Object.entries(first).filter(([table, n]) =>
    n > 0 && /^(cds|lds|rds)/.test(table)
  );
  assert.deepEqual(unpatched, [], "what is patched is not made anew");
  bench.graph.resetStats();
  const before = bench.set(timeout("8s"));
  look();
  const { computedByTable } = bench.graph.stats();
  const clusters = bindings[0]!.view(TYPE_URLS.cluster)!;
  const ran = Object.entries(computedByTable).filter(([table, n]) =>
    n > 0 && table.startsWith("patched")
  );
  assert.ok(ran.every(([table]) => /cds|cluster/.test(table)), JSON.stringify(ran));
  assert.deepEqual(clusters.since(before)?.changed.map((r) => r.name), [
    "outbound|9000||tcp.example",
  ]);
  assert.deepEqual(bindings[0]!.view(TYPE_URLS.listener)!.since(before)?.changed, []);
  assert.deepEqual(bindings[1]!.view(TYPE_URLS.cluster)!.since(before)?.changed, []);
});
