/** Ports whose protocol is detected: HTTP to an address goes to the host that has it. */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import {
  documents,
  manifest,
  serviceEntry,
  type Spec,
  to,
} from "../../../../tests/support/manifest.ts";
import {
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const service = (name: string, more: Spec = {}, protocol = ""): string =>
  serviceEntry(name, [`${name}.test`], { number: 90, protocol }, {
    endpoints: [{ address: "10.0.0.1" }],
    ...more,
  });

const AT = { addresses: ["240.0.0.1"] };

/** A service whose instances are called by their addresses. */
const HEADLESS = documents(
  manifest("ServiceEntry", "db", {
    hosts: ["db.test"],
    location: "MESH_INTERNAL",
    resolution: "NONE",
    ports: [{ number: 90, name: "main" }],
    workloadSelector: { labels: { app: "db" } },
  }),
  ...["10.0.0.1", "10.0.0.2"].map((address, i) =>
    manifest("WorkloadEntry", `db-${i}`, { address, labels: { app: "db" } })
  ),
);

const ROUTES = manifest("VirtualService", "a", {
  hosts: ["a.test"],
  http: [
    { name: "mine", match: [{ sourceLabels: { app: "mine" } }], ...to("a.test") },
    { name: "all", ...to("a.test") },
  ],
});

function start(...objects: readonly string[]) {
  const bench = startTranslation();
  bench.set(documents(...objects));
  const bind = (namespace = "test", more: Parameters<typeof proxyNode>[1] = {}): ProxyBinding =>
    bench.translation.source.bind(proxyNode(namespace, more), () => {});
  return { bench, bind };
}

/** The route tables with a host's name, without that of the port. */
function tables(binding: ProxyBinding): Record<string, RouteConfiguration> {
  const all = [...binding.view(TYPE_URLS.route)!.entries()].filter(({ name }) =>
    name.includes(":")
  );
  return Object.fromEntries(
    all.map(({ name, bytes }) => [name, fromBinary(RouteConfigurationSchema, bytes)]),
  );
}

/** Names of the routes of each such table; asserts that they take all requests. */
function routes(binding: ProxyBinding): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(tables(binding)).map(([name, { virtualHosts }]) => {
      assert.deepEqual(virtualHosts.map((one) => [one.name, one.domains]), [[name, ["*"]]]);
      return [name, virtualHosts[0]!.routes.map((route) => route.name)];
    }),
  );
}

/** The listeners of port 90, each with the route tables that it names. */
function listeners(binding: ProxyBinding): Record<string, string[]> {
  const found = [...binding.view(TYPE_URLS.listener)!.entries()]
    .filter(({ name }) => name.endsWith("_90"));
  return Object.fromEntries(found.map(({ name, bytes }) => {
    const text = new TextDecoder().decode(bytes);
    assert.equal(fromBinary(ListenerSchema, bytes).name, name);
    return [name, ["a.test:90", "db.test:90"].filter((table) => text.includes(table))];
  }));
}

Deno.test("a detected port with an address has a route table for every request there", () => {
  const { bench, bind } = start(service("a", AT), service("b", {}, "HTTP"));
  const binding = bind();
  assert.deepEqual(listeners(binding), { "0.0.0.0_90": [], "240.0.0.1_90": ["a.test:90"] });
  assert.deepEqual(routes(binding), { "a.test:90": ["default"] });
  bench.set(ROUTES);
  assert.deepEqual(routes(binding), { "a.test:90": ["all"] });
  // The table of the port knows it by name, beside other services.
  const shared = binding.view(TYPE_URLS.route)!.get("90")!;
  const { virtualHosts } = fromBinary(RouteConfigurationSchema, shared.bytes);
  assert.deepEqual(virtualHosts.map(({ name }) => name), ["a.test:90", "b.test:90", "allow_any"]);
  bench.remove("ServiceEntry", "test/a");
  assert.deepEqual(routes(binding), {});
});

Deno.test("a detected port of a headless service has a listener at each instance", () => {
  const { bench, bind } = start(HEADLESS);
  const binding = bind();
  const each = { "10.0.0.1_90": ["db.test:90"], "10.0.0.2_90": ["db.test:90"] };
  assert.deepEqual(listeners(binding), each);
  assert.deepEqual(routes(binding), { "db.test:90": ["default"] });
  const three = manifest("WorkloadEntry", "db-2", { address: "10.0.0.3", labels: { app: "db" } });
  const revision = bench.set(three);
  const { changed, removed } = binding.view(TYPE_URLS.listener)!.since(revision)!;
  assert.deepEqual([changed.map(({ name }) => name), removed], [["10.0.0.3_90"], []]);
  const bound = bind("test", { metadata: { INTERCEPTION_MODE: "NONE" } });
  assert.deepEqual(Object.keys(listeners(bound)), ["127.0.0.1_90"]);
});

Deno.test("clients with certain labels have their own routes there", () => {
  const sidecar = manifest("Sidecar", "own", {
    workloadSelector: { labels: { scoped: "yes" } },
    egress: [{ hosts: ["./*"] }],
  });
  const { bind } = start(service("a", AT), ROUTES, sidecar);
  for (const scoped of ["no", "yes"]) {
    for (const more of [{}, TAKES_PARTS]) {
      const of = (app: string) => routes(bind("test", { ...more, labels: { app, scoped } }));
      assert.deepEqual(of("mine"), { "a.test:90": ["mine"] });
      assert.deepEqual(of("other"), { "a.test:90": ["all"] });
    }
  }
});

Deno.test("a namespace has tables of what it alone sees, and none of what it does not import", () => {
  const own = service("a", { ...AT, exportTo: ["."] });
  const narrow = manifest("Sidecar", "narrow", {
    workloadSelector: { labels: { app: "narrow" } },
    egress: [{ hosts: ["./db.test"] }],
  });
  const { bind } = start(own, HEADLESS, narrow);
  assert.deepEqual(Object.keys(routes(bind())).sort(), ["a.test:90", "db.test:90"]);
  assert.deepEqual(Object.keys(routes(bind("other"))), ["db.test:90"]);
  const narrowed = bind("test", { labels: { app: "narrow" } });
  assert.deepEqual(Object.keys(routes(narrowed)), ["db.test:90"]);
  assert.deepEqual(Object.keys(listeners(narrowed)), ["10.0.0.1_90", "10.0.0.2_90"]);
});
