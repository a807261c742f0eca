/** VirtualServices that share a host of a gateway. */
import assert from "node:assert/strict";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { documents, manifest } from "../../../../tests/support/manifest.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import {
  changeOf,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { TableKind } from "../../derive/mod.ts";
import { objectKey } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const HOST = "a.example";

/** A rule for a path; `/`: a rule without matches. */
function rule(name: string, uri: Record<string, string> | "all", gateways?: readonly string[]) {
  const match = uri === "all" ? [] : [{ uri, ...gateways && { gateways } }];
  return { name, match, route: [{ destination: { host: "web" } }] };
}

function virtualService(
  name: string,
  rules: readonly ReturnType<typeof rule>[],
  gateways: readonly string[] = ["edge"],
): string {
  return manifest("VirtualService", name, { hosts: [HOST], gateways, http: rules });
}

function gateway(name: string): string {
  return manifest("Gateway", name, {
    selector: { app: "gw" },
    servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  });
}

/** The names of the routes of the host, in order. The objects come oldest first, or have no age. */
function routesOf(objects: readonly string[], aged = true): string[] {
  const bench = startTranslation();
  const rows = objectsOf(documents(...objects));
  bench.apply({
    objects: rows.map((object) =>
      aged
        ? { kind: object.meta.kind as TableKind, key: objectKey(object.meta), object }
        : changeOf(object)
    ),
  });
  const node = proxyNode("test", { role: "router", labels: { app: "gw" } });
  const binding = bench.translation.source.bind(node, () => {});
  const table = binding.view(TYPE_URLS.route)!.get("http.8080")!;
  const { virtualHosts } = fromBinary(RouteConfigurationSchema, table.bytes);
  return virtualHosts.find(({ domains }) => domains.includes(HOST))!.routes.map((r) => r.name);
}

const ONE = rule("one", { prefix: "/one" });
const TWO = rule("two", { exact: "/two" });
const ALL = rule("all", "all");
const ROOT = rule("root", { prefix: "/" });
const ANY = rule("any", { regex: ".*" });
const NEARLY = rule("nearly", { regex: "/.*" });

const CASES: readonly [about: string, objects: readonly string[], routes: readonly string[]][] = [
  ["an older default route", [
    virtualService("old", [ONE, ALL]),
    virtualService("young", [TWO]),
  ], ["one", "two", "all"]],
  ["prefixes and regular expressions of every path", [
    virtualService("a", [ANY]),
    virtualService("b", [TWO, ROOT]),
    virtualService("c", [ONE]),
  ], ["two", "one", "any", "root"]],
  ["a regular expression that does not match every text stays", [
    virtualService("a", [NEARLY]),
    virtualService("b", [TWO]),
  ], ["nearly", "two"]],
  ["age before names", [
    virtualService("b", [TWO]),
    virtualService("a", [ONE]),
  ], ["two", "one"]],
  ["the order of the Gateways before the age", [
    virtualService("a", [ONE], ["second"]),
    virtualService("b", [TWO], ["edge"]),
    gateway("second"),
  ], ["two", "one"]],
  ["several Gateways of one VirtualService: at the first", [
    gateway("second"),
    virtualService("b", [TWO], ["second"]),
    virtualService("a", [ONE, rule("of second", { exact: "/2" }, ["second"])], [
      "second",
      "edge",
    ]),
  ], ["one", "of second", "two"]],
];

for (const [about, objects, routes] of CASES) {
  Deno.test(`routes of one gateway host: ${about}`, () => {
    assert.deepEqual(routesOf([gateway("edge"), ...objects]), routes);
  });
}

Deno.test("without ages names decide, before namespaces", () => {
  const objects = [gateway("edge"), virtualService("b", [ONE]), virtualService("a", [TWO])];
  assert.deepEqual(routesOf(objects, false), ["two", "one"]);
});

Deno.test("a rule for one Gateway is not served under hosts of another", () => {
  const other = manifest("Gateway", "other", {
    selector: { app: "gw" },
    servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["b.example"] }],
  });
  const rules = [ONE, rule("of other", { exact: "/2" }, ["other"])];
  const objects = [gateway("edge"), other, virtualService("a", rules, ["edge", "other"])];
  assert.deepEqual(routesOf(objects), ["one"]);
});
