/**
 * The cluster that a gateway's listener of UDP forwards to. The endpoints of several backends are in one
 * cluster, because such a listener has no shares of clusters.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { udpAddress } from "../core/mod.ts";

/** An endpoint with its share of the clients. */
export interface DatagramEndpoint {
  /** IP address. */
  readonly address: string;
  readonly port: number;
  /** Above 0. */
  readonly weight: number;
}

/** Builds the cluster. */
export function datagramCluster(
  name: string,
  endpoints: readonly DatagramEndpoint[],
): Cluster {
  return create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: DiscoveryType.STATIC },
    loadAssignment: {
      clusterName: name,
      endpoints: [{
        lbEndpoints: endpoints.map(({ address, port, weight }) => ({
          hostIdentifier: {
            case: "endpoint" as const,
            value: { address: udpAddress(address, port) },
          },
          loadBalancingWeight: weight,
        })),
      }],
    },
  });
}
