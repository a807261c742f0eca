/**
 * Cases of HTTP route translation: `testdata/NAME.in.yaml`, a VirtualService with its scope, and
 * `NAME.golden.json`, the resulting route configuration.
 */
import assert from "node:assert/strict";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { CorsPolicySchema } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { PreviousHostsPredicateSchema } from "#envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.ts";
import { PreviousPrioritiesConfigSchema } from "#envoy/extensions/retry/priority/previous_priorities/v3/previous_priorities_config_pb.ts";
import { LoadBalancerSettingsSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  HTTPRetrySchema,
  VirtualServiceSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { assertGolden } from "../../../../tests/support/golden.ts";
import { fullHost } from "../../model/mod.ts";
import {
  createRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from "../../../kit/proto/mod.ts";
import { parseYaml } from "../../../kit/text/mod.ts";
import {
  blackHoleVirtualHost,
  catchAllVirtualHost,
  routeConfiguration,
  virtualHostFor,
} from "../virtual_hosts/mod.ts";
import { hashPolicyFor } from "./hash.ts";
import { inboundRetries } from "./retry.ts";
import { defaultRoute, inboundRoute, translateHttpRoutes } from "./routes.ts";
import type { RouteScope } from "./scope.ts";

const TESTDATA = new URL("./testdata/", import.meta.url);

/** Types that an `Any` of a route may contain. */
const REGISTRY = createRegistry(
  CorsPolicySchema,
  HTTPFaultSchema,
  PreviousHostsPredicateSchema,
  PreviousPrioritiesConfigSchema,
);

interface CaseFile {
  /** Scope of the routes; default: `mesh`, port 80 and the default retries. */
  readonly scope?: {
    readonly gateway?: string;
    readonly port?: number;
    readonly tls?: boolean;
    readonly source?: RouteScope["source"];
    readonly excludeUnsafe503?: boolean;
    readonly defaultHttpRetryPolicy?: JsonValue;
  };
  /** Full host → its load balancer settings. */
  readonly balancing?: Readonly<Record<string, JsonValue>>;
  /** The spec of the VirtualService `shop` in the namespace `store`. */
  readonly virtualService: JsonValue;
}

/** Names of all cases, sorted. */
async function caseNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(TESTDATA)) {
    if (entry.name.endsWith(".in.yaml")) names.push(entry.name.slice(0, -".in.yaml".length));
  }
  return names.sort();
}

/** Returns the route configuration of a case. */
async function routeCase(name: string): Promise<JsonValue> {
  const text = await Deno.readTextFile(new URL(`${name}.in.yaml`, TESTDATA));
  const file = parseYaml(text) as CaseFile;
  const vs = fromJson(VirtualServiceSchema, file.virtualService);
  const scope = scopeOf(file);
  const host = fullHost(vs.hosts[0]!, scope.vsNamespace, "cluster.local");
  const gateway = !scope.gateways.includes("mesh");
  const served = virtualHostFor(
    { host, port: scope.port, proxyDomain: "store.svc.cluster.local", gateway },
    translateHttpRoutes(vs, scope),
  );
  return configuration(name, [served, catchAllVirtualHost("block_all")], gateway);
}

/** Encodes a route configuration as it is served, decodes it and returns JSON. */
function configuration(
  name: string,
  hosts: readonly VirtualHost[],
  ignorePortInHostMatching: boolean,
): JsonValue {
  const bytes = routeConfiguration(
    name,
    hosts.map((h) => toBinary(VirtualHostSchema, h)),
    { ignorePortInHostMatching },
  );
  return toJson(RouteConfigurationSchema, fromBinary(RouteConfigurationSchema, bytes), {
    registry: REGISTRY,
  });
}

function scopeOf({ scope = {}, balancing = {} }: CaseFile): RouteScope {
  const { gateway = "mesh", port = 80, excludeUnsafe503 = true, defaultHttpRetryPolicy } = scope;
  return {
    gateways: [gateway],
    port,
    tls: scope.tls,
    source: scope.source,
    vsNamespace: "store",
    vsName: "shop",
    mesh: {
      excludeUnsafe503,
      defaultHttpRetryPolicy: defaultHttpRetryPolicy === undefined
        ? undefined
        : fromJson(HTTPRetrySchema, defaultHttpRetryPolicy),
    },
    resolve(destination, fromNamespace) {
      const host = fullHost(destination.host, fromNamespace, "cluster.local");
      const number = destination.port?.number ?? port;
      const balancer = balancing[host];
      return {
        cluster: `outbound|${number}|${destination.subset}|${host}`,
        host,
        port: number,
        hashPolicy: balancer === undefined
          ? []
          : hashPolicyFor(fromJson(LoadBalancerSettingsSchema, balancer)),
      };
    },
  };
}

/** A host without a VirtualService. */
function plainHost(host: string, addresses: readonly string[] = []): VirtualHost {
  const target = { cluster: `outbound|80||${host}`, host, port: 80 };
  return virtualHostFor(
    { host, port: 80, proxyDomain: "store.svc.cluster.local", addresses },
    [defaultRoute(target, { excludeUnsafe503: true })],
  );
}

/** Route configurations without VirtualServices. */
const PLAIN: Readonly<Record<string, readonly VirtualHost[]>> = {
  plain_hosts: [
    plainHost("a.store.svc.cluster.local", ["10.0.0.1", "fd00::1"]),
    plainHost("a.other.svc.cluster.local", ["10.0.0.0/8", "10.0.0.2/32"]),
    plainHost("a.example.com"),
    plainHost("*.example.com"),
    catchAllVirtualHost("allow_any"),
  ],
  plain_inbound: [
    virtualHostFor({ host: "*", port: 8080 }, [
      inboundRoute(
        "inbound|8080||",
        "a.example.com:80/*",
        inboundRetries(undefined, true),
      ),
    ]),
  ],
  plain_black_hole: [blackHoleVirtualHost(80)],
};

const CASES = await caseNames();

for (const name of CASES) {
  Deno.test(`routes: ${name}`, async () => {
    await assertGolden(new URL(`${name}.golden.json`, TESTDATA), await routeCase(name));
  });
}

for (const [name, hosts] of Object.entries(PLAIN)) {
  Deno.test(`routes: ${name}`, async () => {
    await assertGolden(
      new URL(`${name}.golden.json`, TESTDATA),
      configuration(name, hosts, false),
    );
  });
}

Deno.test("routes: each golden file has its case", async () => {
  const names = new Set([...CASES, ...Object.keys(PLAIN)]);
  for await (const entry of Deno.readDir(TESTDATA)) {
    assert.ok(names.has(entry.name.split(".")[0]!), `${entry.name} belongs to no case`);
  }
});
