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
import { create, durationOf } from "../../../kit/proto/mod.ts";

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

/** Clusters of the bootstrap file that lead to sockets of secrets: the agent's, and another program's. */
const SECRET_CLUSTERS = { agent: "sds-grpc", external: "sds-external" } as const;

/** The agent's own service of secrets. The initial fetch never times out, as with ADS. */
export function agentSource(): ConfigSource {
  return socketSource(SECRET_CLUSTERS.agent);
}

/** The service of secrets of another program on the proxy's machine. */
export function externalSource(): ConfigSource {
  return socketSource(SECRET_CLUSTERS.external);
}

function socketSource(clusterName: string): ConfigSource {
  return create(ConfigSourceSchema, {
    configSourceSpecifier: {
      case: "apiConfigSource",
      value: {
        apiType: ApiConfigSource_ApiType.GRPC,
        transportApiVersion: ApiVersion.V3,
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{
          targetSpecifier: { case: "envoyGrpc", value: { clusterName } },
        }],
      },
    },
    initialFetchTimeout: durationOf(0),
    resourceApiVersion: ApiVersion.V3,
  });
}

/** Timeout for an on-demand cluster request, ms; Envoy's default. */
export const ON_DEMAND_MS = 5000;
