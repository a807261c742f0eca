/**
 * Bounds of a listener's connections.
 *
 * @module
 */
import {
  type Filter,
  type FilterChain,
  FilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { ConnectionLimitSchema } from "#envoy/extensions/filters/network/connection_limit/v3/connection_limit_pb.ts";
import { create, packAny } from "../../proto/mod.ts";

/** Name of the network filter. */
const CONNECTION_LIMIT = "envoy.filters.network.connection_limit";

/**
 * Chains that take so many connections at a time and close others at once. Envoy
 * knows listeners' bounds by its start-up file alone, where their names are not
 * known yet; what it counts here it counts for each chain.
 *
 * @param most `listenerConnectionLimit`; `undefined`, or not above 0: no bound
 */
export function bounded(
  chains: readonly FilterChain[],
  listener: string,
  most: number | undefined,
): readonly FilterChain[] {
  if (most === undefined || most <= 0) return chains;
  const limit = limitFilter(listener, most);
  return chains.map((chain) => ({ ...chain, filters: [limit, ...chain.filters] }));
}

function limitFilter(listener: string, most: number): Filter {
  return create(FilterSchema, {
    name: CONNECTION_LIMIT,
    configType: {
      case: "typedConfig",
      value: packAny(ConnectionLimitSchema, {
        statPrefix: listener,
        maxConnections: BigInt(most),
      }),
    },
  });
}
