/**
 * Network filters for TCP protocols that Envoy parses.
 *
 * @module
 */
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { MongoProxySchema } from "#envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.ts";
import { RedisProxySchema } from "#envoy/extensions/filters/network/redis_proxy/v3/redis_proxy_pb.ts";
import { type Any, create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import type { TcpChain } from "./tcp_chain.ts";

/** Timeout of an operation of the key-value store, ms. */
const OPERATION_MS = 5_000;

/** Counts the operations of a document database; connections go on to the next filter. */
export function documentFilter(statPrefix: string): Filter {
  return filter("envoy.filters.network.mongo_proxy", packAny(MongoProxySchema, { statPrefix }));
}

/**
 * Returns the filters of a forwarding chain. For a key-value store with one cluster, operations are
 * forwarded one by one instead of the connection.
 *
 * @param forward forwards connections
 */
export function protocolFilters(
  { protocol, statPrefix, clusters }: Pick<TcpChain, "protocol" | "statPrefix" | "clusters">,
  forward: Filter,
): Filter[] {
  const [only] = clusters;
  if (protocol === "document") return [documentFilter(statPrefix), forward];
  if (protocol !== "key-value" || only === undefined || clusters.length > 1) return [forward];
  return [filter(
    "envoy.filters.network.redis_proxy",
    packAny(RedisProxySchema, {
      statPrefix,
      latencyInMicros: true,
      settings: { opTimeout: durationOf(OPERATION_MS) },
      prefixRoutes: { catchAllRoute: { cluster: only.cluster } },
    }),
  )];
}

function filter(name: string, value: Any): Filter {
  return create(FilterSchema, { name, configType: { case: "typedConfig", value } });
}
