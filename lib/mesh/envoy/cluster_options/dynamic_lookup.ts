/**
 * Clusters that resolve the host name of each request or TLS handshake.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_LbPolicy as LbPolicy,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterConfigSchema } from "#envoy/extensions/clusters/dynamic_forward_proxy/v3/cluster_pb.ts";
import type { ClientTLSSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { dnsCache, type Lookup } from "../core/mod.ts";
import type { RequestNames } from "./http_options.ts";
import { namesOfRequests, originatesTls } from "./tls.ts";

const DYNAMIC_FORWARD_PROXY = "envoy.clusters.dynamic_forward_proxy";

/** With TLS, the request's name is used as SNI and must be in the certificate. */
const REQUEST_NAMES: RequestNames = { autoSni: true, autoSanValidation: true };

/** Returns which TLS names come from requests; both if the rule sets none. */
export function requestNames(
  tls: ClientTLSSettings | undefined,
  serviceNames: readonly string[],
): RequestNames {
  if (!originatesTls(tls)) return REQUEST_NAMES;
  return namesOfRequests(tls, serviceNames) ?? { autoSni: false, autoSanValidation: false };
}

/**
 * Makes a cluster resolve the names that clients request.
 *
 * @param names TLS names that come from requests. Envoy requires an explicit setting if only one of
 * them does, because then a certificate of any server would be accepted.
 */
export function resolveRequestedNames(cluster: Cluster, lookup: Lookup, names: RequestNames): void {
  cluster.lbPolicy = LbPolicy.CLUSTER_PROVIDED;
  cluster.clusterDiscoveryType = create(ClusterSchema, {
    clusterDiscoveryType: {
      case: "clusterType",
      value: {
        name: DYNAMIC_FORWARD_PROXY,
        typedConfig: packAny(ClusterConfigSchema, {
          clusterImplementationSpecifier: { case: "dnsCacheConfig", value: dnsCache(lookup) },
          allowInsecureClusterOptions: !names.autoSni || !names.autoSanValidation,
        }),
      },
    },
  }).clusterDiscoveryType;
}
