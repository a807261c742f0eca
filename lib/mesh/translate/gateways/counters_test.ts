/** Work for one route of a gateway: counted, and the same with many other routes. */
import assert from "node:assert/strict";
import { documents, manifest } from "../../../../tests/support/manifest.ts";
import {
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const API = "gateway.networking.k8s.io/v1";

const FRONT = documents(
  manifest("ServiceEntry", "edge", {
    hosts: ["edge.test.svc.cluster.local"],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    workloadSelector: { labels: { app: "gw" } },
  }),
  manifest("ServiceEntry", "web", {
    hosts: ["web.test.svc.cluster.local"],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "10.0.0.1" }],
  }),
  objectOf("Gateway", "edge", {
    gatewayClassName: "mesh",
    addresses: [{ type: "Hostname", value: "edge.test.svc.cluster.local" }],
    listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
  }),
);

function objectOf(kind: string, name: string, spec: unknown): string {
  return JSON.stringify({ apiVersion: API, kind, metadata: { name, namespace: "test" }, spec }) +
    "\n";
}

function routeOf(name: string, hostname: string, path = "/"): string {
  return objectOf("HTTPRoute", name, {
    parentRefs: [{ name: "edge" }],
    hostnames: [hostname],
    rules: [{
      matches: [{ path: { type: "PathPrefix", value: path } }],
      backendRefs: [{ name: "web", port: 80 }],
    }],
  });
}

/** The computations of edits, by table, and the resources they send, in a mesh with this number of other routes. */
function costs(routes: number): unknown {
  const bench = startTranslation();
  const others = Array.from({ length: routes }, (_, i) => routeOf(`r${i}`, `r${i}.example`));
  bench.set(documents(FRONT, ...others));
  const node = proxyNode("test", { role: "router", labels: { app: "gw" }, ...TAKES_PARTS });
  const binding = bench.translation.source.bind(node, () => {});
  assert.equal(binding.view(TYPE_URLS.virtualHost)!.size, routes);
  const cost = (edit: () => number) => {
    bench.graph.resetStats();
    const before = edit();
    const computed = Object.entries(bench.graph.stats().computedByTable).filter(([, n]) => n > 0);
    const sent = Object.entries(TYPE_URLS).flatMap(([short, url]) => {
      const { changed = [], removed = [] } = binding.view(url)?.since(before) ?? {};
      return [
        ...changed.map(({ name }) => `${short} +${name}`),
        ...removed.map((name) => `${short} -${name}`),
      ];
    });
    return { computed: Object.fromEntries(computed), sent };
  };
  return {
    changed: cost(() => bench.set(routeOf("r7", "r7.example", "/other"))),
    added: cost(() => bench.set(routeOf("new", "new.example"))),
    wildcard: cost(() => bench.set(routeOf("any", "*.example"))),
    removed: cost(() => bench.remove("HTTPRoute", "test/new")),
  };
}

Deno.test("one route of a gateway touches one virtual host, whatever other routes there are", () => {
  const few = costs(20);
  assert.deepEqual(few, costs(400));
  const { changed, added, wildcard, removed } = few as Record<
    string,
    { computed: Record<string, number>; sent: string[] }
  >;
  assert.deepEqual(changed!.sent, ["virtualHost +http.80/r7.example:80"]);
  assert.deepEqual(added!.sent, ["virtualHost +http.80/new.example:80"]);
  assert.deepEqual(wildcard!.sent, ["virtualHost +http.80/*.example:80"]);
  assert.deepEqual(removed!.sent, ["virtualHost -http.80/new.example:80"]);
  for (const { computed } of [changed!, added!, wildcard!]) {
    assert.equal(computed["vhds.gateway"], 1);
    assert.equal(computed["gateway.claims"], 1);
  }
});
