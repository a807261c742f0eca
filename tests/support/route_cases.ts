/**
 * The cases of HTTP route translation: `lib/translate/route/testdata/NAME.in.yaml`,
 * each a VirtualService with the place where it is served, and what it becomes.
 *
 * @module
 */
import { fullHost } from "../../lib/derive/mod.ts";
import {
  createRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  type Registry,
  toBinary,
  toJson,
} from "../../lib/proto/mod.ts";
import { parseYaml } from "../../lib/text/mod.ts";
import {
  catchAllVirtualHost,
  hashPolicyFor,
  routeConfiguration,
  type RouteScope,
  translateHttpRoutes,
  virtualHostFor,
} from "../../lib/translate/route/mod.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { CorsPolicySchema } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { PreviousHostsPredicateSchema } from "#envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.ts";
import { PreviousPrioritiesConfigSchema } from "#envoy/extensions/retry/priority/previous_priorities/v3/previous_priorities_config_pb.ts";
import { LoadBalancerSettingsSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  HTTPRetrySchema,
  VirtualServiceSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";

/** Where the cases lie. */
export const ROUTE_CASES: URL = new URL("../../lib/translate/route/testdata/", import.meta.url);

/** What may be inside of an `Any` of a route. */
export const ROUTE_REGISTRY: Registry = createRegistry(
  CorsPolicySchema,
  HTTPFaultSchema,
  PreviousHostsPredicateSchema,
  PreviousPrioritiesConfigSchema,
);

/** A case as it is written. */
interface CaseFile {
  /** Where it is served; `mesh`, port 80 and the default retries unless said otherwise. */
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
export async function routeCaseNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(ROUTE_CASES)) {
    if (entry.name.endsWith(".in.yaml")) names.push(entry.name.slice(0, -".in.yaml".length));
  }
  return names.sort();
}

/** The route configuration of a case, encoded as it is served and read back, as JSON. */
export async function routeCase(name: string): Promise<JsonValue> {
  const text = await Deno.readTextFile(new URL(`${name}.in.yaml`, ROUTE_CASES));
  const file = parseYaml(text) as CaseFile;
  const vs = fromJson(VirtualServiceSchema, file.virtualService);
  const scope = scopeOf(file);
  const host = fullHost(vs.hosts[0]!, scope.vsNamespace, "cluster.local");
  const gateway = scope.gateway !== "mesh";
  const served = virtualHostFor(
    { host, port: scope.port, proxyDomain: "store.svc.cluster.local", gateway },
    translateHttpRoutes(vs, scope),
  );
  const bytes = routeConfiguration(
    name,
    [served, catchAllVirtualHost("block_all")].map((h) => toBinary(VirtualHostSchema, h)),
    { ignorePortInHostMatching: gateway },
  );
  return toJson(RouteConfigurationSchema, fromBinary(RouteConfigurationSchema, bytes), {
    registry: ROUTE_REGISTRY,
  });
}

function scopeOf({ scope = {}, balancing = {} }: CaseFile): RouteScope {
  const { gateway = "mesh", port = 80, excludeUnsafe503 = true, defaultHttpRetryPolicy } = scope;
  return {
    gateway,
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
