/**
 * Rules with source labels or namespaces: proxies that match get separate routes, all others share.
 */
import assert from "node:assert/strict";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const WORLD = `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]

---

apiVersion: networking.mesh.io/v1

kind: Gateway

metadata: {name: gw, namespace: one}

spec:
  selector: {app: web}
  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]

---

apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example]
  gateways: [mesh, gw]
  http:
  - {name: web, match: [{uri: {prefix: /web}, sourceLabels: {app: web}}], route: [{destination: {host: a.example}}]}
  - {name: two, match: [{uri: {prefix: /two}, sourceNamespace: two}], route: [{destination: {host: a.example}}]}
  - {name: all, route: [{destination: {host: a.example}}]}

`;

/** Names of the routes to `a.example` in a table, in order. */
function routes(binding: ProxyBinding, table: string): string[] {
  const resource = binding.view(TYPE_URLS.route)?.get(table);
  const hosts = fromBinary(RouteConfigurationSchema, resource!.bytes).virtualHosts;
  return hosts.find(({ name }) => name.startsWith("a.example:"))!.routes.map(({ name }) => name);
}

Deno.test("rules for callers of certain labels and namespaces are served to those", () => {
  const bench = startTranslation();
  bench.set(WORLD);
  const binding = (...node: Parameters<typeof proxyNode>) =>
    bench.translation.source.bind(proxyNode(...node), () => {});
  const web = { labels: { app: "web" } };
  const cases: [binding: ProxyBinding, table: string, routes: string[]][] = [
    [binding("one"), "80", ["all"]],
    [binding("one", web), "80", ["web", "all"]],
    [binding("two"), "80", ["two", "all"]],
    [binding("two", web), "80", ["web", "two", "all"]],
    [binding("one", { ...web, role: "router" }), "http.8080", ["web", "all"]],
  ];
  for (const [at, table, expected] of cases) assert.deepEqual(routes(at, table), expected);

  // A client that no rule matches shares the table of its namespace, byte for byte, and keeps it.
  const [plain, other] = [binding("one"), binding("one", { labels: { app: "other" } })];
  const table = (at: ProxyBinding) => at.view(TYPE_URLS.route)!.get("80");
  assert.equal(table(plain)!.bytes, table(other)!.bytes);
  const parts = binding("one", { ...web, ...TAKES_PARTS });
  const part = () => parts.view(TYPE_URLS.virtualHost)!.get("80/a.example:80")!.version;
  const before = part();
  const revision = bench.set(WORLD.replace("name: web,", "name: web2,"));
  const changed = (at: ProxyBinding) =>
    at.view(TYPE_URLS.route)!.since(revision)?.changed.map(({ name }) => name);
  assert.deepEqual(changed(cases[0]![0]), []);
  assert.deepEqual(changed(cases[1]![0]), ["80"]);
  assert.notEqual(part(), before);

  // A rule that no longer matches a client has no effect on the shared table.
  bench.set(WORLD.replace("sourceLabels: {app: web}", "sourceLabels: {app: none}"));
  assert.deepEqual(routes(cases[1]![0], "80"), ["all"]);
  assert.equal(table(cases[1]![0])!.bytes, table(plain)!.bytes);
});
