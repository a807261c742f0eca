/**
 * The real Envoy takes every route configuration that the cases of route
 * translation expect, and the ones made without a VirtualService.
 */
import assert from "node:assert/strict";
import { type JsonValue, toJson } from "../../lib/proto/mod.ts";
import {
  blackHoleVirtualHost,
  catchAllVirtualHost,
  defaultRoute,
  inboundRoute,
  virtualHostFor,
} from "../../lib/translate/route/mod.ts";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { routesBootstrap, validateBootstrap } from "../support/envoy_validate.ts";
import { ROUTE_CASES, ROUTE_REGISTRY, routeCaseNames } from "../support/route_cases.ts";

const CLUSTER = "outbound|80||a.example.com";

/** A virtual host of the default route. */
function plainHost(host: string, addresses: readonly string[] = []): VirtualHost {
  const target = { cluster: CLUSTER, host, port: 80 };
  return virtualHostFor(
    { host, port: 80, proxyDomain: "store.svc.cluster.local", addresses },
    [defaultRoute(target, { excludeUnsafe503: true })],
  );
}

/** A route configuration of these virtual hosts, as JSON. */
function configurationOf(hosts: readonly VirtualHost[]): JsonValue {
  return {
    name: "80",
    validateClusters: false,
    virtualHosts: hosts.map((h) => toJson(VirtualHostSchema, h, { registry: ROUTE_REGISTRY })),
  };
}

Deno.test("Envoy takes every expected route configuration", async () => {
  const names = await routeCaseNames();
  assert.ok(names.length > 10);
  const configurations: JsonValue[] = [];
  for (const name of names) {
    const text = await Deno.readTextFile(new URL(`${name}.golden.json`, ROUTE_CASES));
    configurations.push(JSON.parse(text));
  }
  const verdict = await validateBootstrap(routesBootstrap(configurations));
  assert.ok(verdict.accepted, verdict.log);
});

Deno.test("Envoy takes hosts of all kinds side by side", async () => {
  const inbound = virtualHostFor({ host: "inbound.example.com", port: 8080 }, [
    inboundRoute("inbound|8080||", "a.example.com:80/*", true),
  ]);
  const verdict = await validateBootstrap(routesBootstrap([
    configurationOf([
      plainHost("a.store.svc.cluster.local", ["10.0.0.1", "fd00::1"]),
      plainHost("a.other.svc.cluster.local", ["10.0.0.0/8", "10.0.0.2/32"]),
      plainHost("A.Example.com"),
      plainHost("*.example.com"),
      inbound,
      catchAllVirtualHost("allow_any"),
    ]),
    configurationOf([plainHost("b.example.com"), catchAllVirtualHost("block_all")]),
    configurationOf([blackHoleVirtualHost(80)]),
  ]));
  assert.ok(verdict.accepted, verdict.log);
});

Deno.test("Envoy refuses two hosts with one address, so the verdict means something", async () => {
  const verdict = await validateBootstrap(routesBootstrap([
    configurationOf([
      plainHost("a.example.com", ["10.0.0.1"]),
      plainHost("b.example.com", ["10.0.0.1"]),
    ]),
  ]));
  assert.equal(verdict.accepted, false);
  assert.match(verdict.log, /10\.0\.0\.1/);
});
