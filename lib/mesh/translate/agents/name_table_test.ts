/**
 * Name tables: what agents answer DNS queries from.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { assertGolden } from "../../../../tests/support/golden.ts";
import { testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  contentOf,
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { fromBinary, toJson } from "../../../kit/proto/mod.ts";
import { AGENT_TYPE_URLS, TYPE_URLS } from "../resources/mod.ts";

const NAMES = AGENT_TYPE_URLS.nameTable;

/** A ServiceEntry `name` in a namespace; `spec` in flow form. */
function entry(name: string, spec: string, namespace = "one"): string {
  return `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: ${namespace}}

spec: {ports: [{number: 90, name: tcp, protocol: TCP}], ${spec}}

`;
}

const MESH = [
  entry(
    "vip",
    "hosts: [b.two.svc.cluster.local], addresses: [10.1.0.1, 10.2.0.0/16], resolution: STATIC",
    "two",
  ),
  entry(
    "private",
    "hosts: [own.example], addresses: ['fd00::1'], exportTo: ['.'], resolution: STATIC",
  ),
  entry("bare", "hosts: [bare.example], resolution: STATIC, endpoints: [{address: 10.0.0.9}]"),
  entry("wild", "hosts: ['*.wild.example'], addresses: [10.3.0.1], resolution: NONE"),
  entry(
    "headless",
    "hosts: [db.one.svc.cluster.local], resolution: NONE, workloadSelector: {labels: {app: db}}",
  ),
  ...["0", "1"].map((n) =>
    `apiVersion: networking.mesh.io/v1

kind: WorkloadEntry

metadata: {name: db-${n}, namespace: one}

spec: {address: 10.0.1.${n}, labels: {app: db}}

`
  ),
  `apiVersion: networking.mesh.io/v1

kind: WorkloadEntry

metadata: {name: db-far, namespace: one}

spec: {address: 10.0.1.1, labels: {app: db}, network: far}

`,
  `apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: narrow, namespace: one}

spec: {workloadSelector: {labels: {app: narrow}}, egress: [{hosts: ['two/*']}]}

`,
];

function bench(documents: readonly string[], features = DEFAULT_FEATURES): Bench {
  const started = startTranslation(testMeshConfig(), features);
  started.set(documents.join("---\n"));
  return started;
}

type Node = Parameters<typeof proxyNode>[1];

function bindingOf({ translation }: Bench, namespace: string, more?: Node): ProxyBinding {
  return translation.source.bind(proxyNode(namespace, more), () => {});
}

/** Name → addresses, as a proxy's agent is served them. */
function addresses(binding: ProxyBinding): Record<string, string> {
  const [resource, ...more] = [...binding.view(NAMES)!.entries()];
  assert.deepEqual([resource?.name, more.length], ["name-table", 0]);
  const { table } = fromBinary(NameTableSchema, resource!.bytes);
  return Object.fromEntries(Object.entries(table).map(([name, { ips }]) => [name, ips.join(" ")]));
}

const HEADLESS = {
  "db.one.svc.cluster.local": "10.0.1.0 10.0.1.1",
  "db-0.db.one.svc.cluster.local": "10.0.1.0",
  "db-1.db.one.svc.cluster.local": "10.0.1.1",
};

const SHARED = { ...HEADLESS, "b.two.svc.cluster.local": "10.1.0.1", "*.wild.example": "10.3.0.1" };

const SEEN: readonly [who: string, namespace: string, node: Node, Record<string, string>][] = [
  ["a namespace with a host of its own", "one", {}, { ...SHARED, "own.example": "fd00::1" }],
  ["another namespace", "three", {}, SHARED],
  ["a workload with a Sidecar", "one", { labels: { app: "narrow" } }, {
    "b.two.svc.cluster.local": "10.1.0.1",
  }],
  ["a gateway", "three", { role: "router" }, SHARED],
  ["a proxy of the network that an endpoint is in", "three", { metadata: { NETWORK: "far" } }, {
    ...SHARED,
    "db-far.db.one.svc.cluster.local": "10.0.1.1",
  }],
];

for (const [who, namespace, node, expected] of SEEN) {
  Deno.test(`${who} knows these names`, () => {
    assert.deepEqual(addresses(bindingOf(bench(MESH), namespace, node)), expected);
  });
}

Deno.test("a service's name is distinguished in its parts, and its short names are those of the caller", () => {
  const started = bench([
    ...MESH,
    entry("taken", "hosts: [b.two], addresses: [10.9.0.1], resolution: STATIC"),
  ]);
  const about = (namespace: string, name: string) => {
    const view = bindingOf(started, namespace).view(NAMES)!;
    const info = fromBinary(NameTableSchema, view.get("name-table")!.bytes).table[name]!;
    return [info.shortname, info.namespace, info.registry, ...info.altHosts];
  };
  const name = "b.two.svc.cluster.local";
  assert.deepEqual(about("one", name), ["b", "two", "External", "b.two.svc"]);
  assert.deepEqual(about("two", name), ["b", "two", "External", "b", "b.two.svc"]);
  assert.deepEqual(about("one", "db-0.db.one.svc.cluster.local"), ["db-0.db", "one", "External"]);
  assert.deepEqual(about("one", "*.wild.example"), ["", "", "External"]);
});

Deno.test("a name table as it is sent, of a namespace with a host and a Sidecar of its own", async () => {
  const binding = bindingOf(bench(MESH), "one", GIVEN);
  const table = fromBinary(NameTableSchema, binding.view(NAMES)!.get("name-table")!.bytes);
  const golden = new URL("testdata/name_table.golden.json", import.meta.url);
  await assertGolden(golden, toJson(NameTableSchema, table));
});

const GIVEN = { metadata: { DNS_AUTO_ALLOCATE: "true" } };

/**
 * Returns the IPv4 address of a host in the name table, and the proxy's listener at that address.
 */
function listens(binding: ProxyBinding): { address: string; listener: string | undefined } {
  const address = addresses(binding)["bare.example"] ?? "";
  const found = [...binding.view(TYPE_URLS.listener)!.entries()]
    .map((r) => fromBinary(ListenerSchema, r.bytes))
    .find((l) =>
      l.address?.address.case === "socketAddress" &&
      l.address.address.value.address === address
    );
  return { address, listener: found?.name };
}

for (
  const [who, labels] of [["sidecar", {}], ["sidecar with a Sidecar", { app: "narrow" }]] as const
) {
  Deno.test(`a ${who} with auto-allocated addresses listens on the addresses of its name table`, () => {
    const everywhere = `apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: narrow, namespace: one}

spec: {workloadSelector: {labels: {app: narrow}}, egress: [{hosts: ['*/*']}]}

`;
    const started = bench([...MESH.slice(0, -1), everywhere]);
    const { address, listener } = listens(bindingOf(started, "one", { ...GIVEN, labels }));
    assert.match(address, /^240\.240\./);
    assert.equal(listener, `${address}_90`);
    assert.equal(listens(bindingOf(started, "one", { labels })).address, "");
  });
}

Deno.test("a proxy whose traffic nothing redirects is given no addresses, and one of IPv6 those of IPv6", () => {
  const started = bench(MESH);
  const bound = { metadata: { ...GIVEN.metadata, INTERCEPTION_MODE: "NONE" } };
  assert.equal(addresses(bindingOf(started, "one", bound))["bare.example"], undefined);
  const v6 = bindingOf(started, "one", { ...GIVEN, ip: "fd00::9" });
  assert.match(addresses(v6)["bare.example"]!, /^2001:2::/);
});

Deno.test("with addresses for the whole mesh, virtual hosts have them too", () => {
  const web = entry("web", "hosts: [web.example], resolution: STATIC").replace(
    "{number: 90, name: tcp, protocol: TCP}",
    "{number: 80, name: http, protocol: HTTP}",
  );
  const domains = (features: typeof DEFAULT_FEATURES) => {
    const binding = bindingOf(bench([...MESH, web], features), "three");
    const table = fromBinary(
      RouteConfigurationSchema,
      binding.view(TYPE_URLS.route)!.get("80")!.bytes,
    );
    const host = table.virtualHosts.find(({ name }) => name === "web.example:80")!;
    return { binding, domains: host.domains };
  };
  assert.deepEqual(domains(DEFAULT_FEATURES).domains, ["web.example", "web.example."]);
  const given = domains({ ...DEFAULT_FEATURES, autoAllocateAddresses: true });
  const address = addresses(given.binding)["web.example"]!;
  assert.match(address, /^240\.240\./);
  assert.ok(given.domains.includes(address));
  assert.equal(listens(given.binding).listener, `${listens(given.binding).address}_90`);
});

Deno.test("an agent that does not ask costs nothing; an edit encodes one entry, and the table once a scope", () => {
  const started = bench(MESH);
  const quiet = bindingOf(started, "one");
  for (const url of Object.values(TYPE_URLS)) void quiet.view(url)?.size;
  const counts = (change: () => void): Record<string, number> => {
    started.graph.resetStats();
    change();
    const ran = Object.entries(started.graph.stats().computedByTable);
    return Object.fromEntries(ran.filter(([name, n]) => name.startsWith("nds") && n > 0));
  };
  const edit = (last: number) => () =>
    void started.set(
      entry(
        "vip",
        `hosts: [b.two.svc.cluster.local], addresses: [10.1.0.${last}], resolution: STATIC`,
        "two",
      ),
    );
  assert.deepEqual(counts(edit(2)), {});
  const asking = ["one", "two", "three", "three"].map((ns) => bindingOf(started, ns));
  for (const binding of asking) addresses(binding);
  const others = Array.from(
    { length: 300 },
    (_, i) =>
      entry(
        `o${i}`,
        `hosts: [o${i}.example], addresses: [10.4.${i >> 8}.${i & 255}], resolution: STATIC`,
        "other",
      ),
  );
  started.set(others.join("---\n"));
  // For everybody and as its own namespace sees it; and the tables of all, of `one` and of `two`.
  assert.deepEqual(counts(edit(3)), {
    "nds.entry": 2,
    "nds.overlay": 1,
    "nds.public": 1,
    "nds.own": 2,
  });
  assert.equal(addresses(asking[0]!)["b.two.svc.cluster.local"], "10.1.0.3");
});

/** CI takes the same path each time. */
const SEED = Deno.env.get("CI") === undefined ? {} : { seed: 20_262 };

Deno.test("the law: after any edits a name table is what a mesh of the same objects has", () => {
  const names = ["vip", "private", "bare", "headless"];
  const specs = [
    "hosts: [a.example], resolution: STATIC",
    "hosts: [a.example, b.example], resolution: STATIC, exportTo: ['.']",
    "hosts: [b.example], addresses: [10.0.0.1], resolution: DNS",
    "hosts: [c.one.svc.cluster.local], resolution: NONE, workloadSelector: {labels: {app: db}}",
    "hosts: [a.one.svc.cluster.local], addresses: [240.240.0.1], resolution: STATIC, exportTo: [two]",
  ];
  const anyEdit = fc.record({
    name: fc.constantFrom(...names),
    namespace: fc.constantFrom("one", "two"),
    spec: fc.option(fc.constantFrom(...specs), { nil: undefined, freq: 4 }),
  });
  const look = (started: Bench) =>
    [...["one", "two", "three"], "one"].map((ns, i) => {
      const binding = bindingOf(started, ns, {
        ...GIVEN,
        labels: i === 3 ? { app: "narrow" } : {},
      });
      return [contentOf(binding.view(NAMES)), contentOf(binding.view(TYPE_URLS.listener))];
    });
  fc.assert(
    fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 12 }), (edits) => {
      const still = [...MESH.slice(-4, -1), MESH.at(-1)!.replace("two/*", "*/*")];
      const old = bench(still);
      look(old);
      const left = new Map<string, string>();
      for (const { name, namespace, spec } of edits) {
        const key = `${namespace}/${name}`;
        if (spec === undefined) {
          left.delete(key);
          old.remove("ServiceEntry", key);
        } else {
          left.set(key, entry(name, spec, namespace));
          old.set(left.get(key)!);
        }
      }
      assert.deepEqual(look(old), look(bench([...still, ...left.values()])));
    }),
    { numRuns: 60, ...SEED },
  );
});
