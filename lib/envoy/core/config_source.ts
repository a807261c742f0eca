/**
 * Configuration sources of dynamic resources.
 *
 * @module
 */
import {
  ApiConfigSource_ApiType,
  ApiVersion,
  type ConfigSource,
  ConfigSourceSchema,
} from "#envoy/config/core/v3/config_source_pb.ts";
import { create, durationOf } from "../../proto/mod.ts";

/**
 * The proxy's aggregated stream (ADS). The initial fetch never times out: a listener or cluster
 * without its content would respond with errors instead of waiting.
 */
export function adsSource(): ConfigSource {
  return create(ConfigSourceSchema, {
    configSourceSpecifier: { case: "ads", value: {} },
    initialFetchTimeout: durationOf(0),
    resourceApiVersion: ApiVersion.V3,
  });
}

/** Name of the cluster of the bootstrap file that leads to the agent's socket of secrets. */
const AGENT_CLUSTER = "sds-grpc";

/** The agent's own service of secrets. The initial fetch never times out, as with ADS. */
export function agentSource(): ConfigSource {
  return create(ConfigSourceSchema, {
    configSourceSpecifier: {
      case: "apiConfigSource",
      value: {
        apiType: ApiConfigSource_ApiType.GRPC,
        transportApiVersion: ApiVersion.V3,
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{
          targetSpecifier: { case: "envoyGrpc", value: { clusterName: AGENT_CLUSTER } },
        }],
      },
    },
    initialFetchTimeout: durationOf(0),
    resourceApiVersion: ApiVersion.V3,
  });
}

/** Timeout for an on-demand cluster request, ms; Envoy's default. */
export const ON_DEMAND_MS = 5000;
