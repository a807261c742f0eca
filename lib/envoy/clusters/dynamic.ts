/**
 * Clusters whose endpoints are what each client asks for: the name in a request
 * or in a TLS handshake is looked up when it comes.
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
import { create, packAny } from "../../proto/mod.ts";
import {
  applyConnectionPool,
  applyHttpOptions,
  applyTls,
  type InboundDefaults,
  type MeshClusterDefaults,
  namesOfRequests,
  originatesTls,
  type RequestNames,
} from "../cluster_options/mod.ts";
import { dnsCache, DYNAMIC_PASSTHROUGH_CLUSTER, type Lookup, statName } from "../core/mod.ts";
import { nobodys } from "./service_metadata.ts";

const DYNAMIC_FORWARD_PROXY = "envoy.clusters.dynamic_forward_proxy";

/** The name of the request is that of TLS, and must be in the certificate, where there is TLS. */
const NAMES_ASKED_FOR: RequestNames = { autoSni: true, autoSanValidation: true };

/** What a rule's TLS leaves to requests; all of it where there is none. */
export function namesAskedFor(
  tls: ClientTLSSettings | undefined,
  serviceNames: readonly string[],
): RequestNames {
  if (!originatesTls(tls)) return NAMES_ASKED_FOR;
  return namesOfRequests(tls, serviceNames) ?? { autoSni: false, autoSanValidation: false };
}

/**
 * Makes a cluster look names up as clients ask for them.
 *
 * @param names what TLS takes from requests; Envoy wants to be told aloud where it is
 * not both, because then a certificate of any server would do
 */
export function lookUpAsAsked(cluster: Cluster, lookup: Lookup, names: RequestNames): void {
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

/**
 * Requests for hosts that no service claims go where their names lead.
 *
 * @param tls what the mesh's `outboundTrafficPolicy` says of it; by files beside the proxies
 */
export function dynamicPassthroughCluster(
  mesh: Pick<MeshClusterDefaults, "tls"> & InboundDefaults & Lookup,
  tls?: ClientTLSSettings,
): Cluster {
  const name = DYNAMIC_PASSTHROUGH_CLUSTER;
  const cluster = create(ClusterSchema, {
    name,
    altStatName: statName(name),
    metadata: nobodys(name, mesh),
  });
  applyConnectionPool(cluster, undefined, mesh);
  const names = namesAskedFor(tls, []);
  applyHttpOptions(cluster, "downstream", undefined, { names, outside: true });
  applyTls(cluster, tls, "downstream", [], false, mesh.tls);
  lookUpAsAsked(cluster, mesh, names);
  return cluster;
}
