/**
 * Filters that know the protocol of a TCP port.
 *
 * @module
 */
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { MongoProxySchema } from "#envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.ts";
import { RedisProxySchema } from "#envoy/extensions/filters/network/redis_proxy/v3/redis_proxy_pb.ts";
import { type Any, create, durationOf, packAny } from "../../proto/mod.ts";
import type { TcpChain } from "./tcp_chain.ts";

/** An operation of the key-value store takes no longer than this, ms. */
const OPERATION_MS = 5_000;

/** Counts what clients of a document database ask for; connections go on to the next filter. */
export function documentFilter(statPrefix: string): Filter {
  return filter("envoy.filters.network.mongo_proxy", packAny(MongoProxySchema, { statPrefix }));
}

/**
 * The filters of a chain that forwards. A key-value store's operations are sent
 * on one by one in place of the connection, where one cluster takes them all.
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
