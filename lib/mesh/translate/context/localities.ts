/**
 * Localities of proxies: their region, zone and network, and the DestinationRules that select them.
 *
 * @module
 */
import {
  isClusterLocal,
  localityKeys,
  networkOf,
  type RuleKeys,
  ruleKeys,
} from "../../derive/mod.ts";
import type { Reach } from "../../envoy/mod.ts";
import { type KeyCodec, keyOf, type Read, text } from "../../graph/mod.ts";
import {
  type Endpoint,
  hasTopologyLabel,
  NODE_LABEL,
  type ProxyLocality,
  type Service,
  serviceKeys,
  topologyLabels,
} from "../../model/mod.ts";
import { type Client, followServiceRules, type MeshContext, type ServiceRules } from "./lookups.ts";

/** Keys of the DestinationRules that select the workloads of a locality. */
export function selectingRules(locality: string): RuleKeys {
  return locality === "" ? [] : localityKeys.decode(locality).rules;
}

/**
 * The locality of a gateway that forwards by server name. It sees only endpoints of its own network,
 * because the connections that it gets are meant for those.
 */
export function automaticLocality(locality: string): string {
  if (locality === "") return "";
  const at = localityKeys.decode(locality);
  return at.network === "" ? locality : localityKeys.encode({ ...at, view: [at.network] });
}

/** The content of a host: all that its clusters or endpoints are made from. */
export interface ContentKey extends ServiceRules {
  /** See `Localities.ofClass`; `""`: the content does not depend on it. */
  readonly locality: string;
}

/** The codec of {@link ContentKey}. */
export const contentKeys: KeyCodec<ContentKey> = keyOf<ContentKey>({
  service: serviceKeys,
  rules: ruleKeys,
  locality: text,
});

/** The clients of a namespace in a locality. */
export function clientAt({ namespace, locality }: {
  readonly namespace: string;
  readonly locality: string;
}): Client {
  return { namespace, rules: localityKeys.decode(locality).rules };
}

/** The service and the rules of a host as clients in a locality see them, with the decisions. */
export function followRulesAt(
  read: Read,
  context: MeshContext,
  key: { readonly namespace: string; readonly host: string; readonly locality: string },
): ServiceRules | undefined {
  return followServiceRules(read, context, clientAt(key), key.host);
}

/** Reads the key of a locality; `undefined` for `""`. */
export function localityOf(key: string): ProxyLocality | undefined {
  return key === "" ? undefined : localityKeys.decode(key);
}

/**
 * Reports for each endpoint of a host if clients in a locality may see it; `undefined`: all of them.
 * Clients see only endpoints of their own cluster for hosts that are local to clusters, and where
 * an endpoint says so. They see only endpoints on their own node of services that are local to nodes,
 * and none if their node is unknown.
 */
export function visibleEndpoints(
  read: Read,
  { mesh, clusterId }: MeshContext & { readonly clusterId: string },
  { host, nodeLocal }: Pick<Service, "host" | "nodeLocal">,
  locality: ProxyLocality | undefined,
): ((endpoint: Endpoint) => boolean) | undefined {
  const own = locality?.cluster;
  if (nodeLocal === true) {
    const node = locality?.labels[NODE_LABEL];
    // Clusters may have nodes of equal names.
    return ({ node: theirs, cluster = clusterId }) =>
      node !== undefined && theirs === node && cluster === (own ?? clusterId);
  }
  if (own === undefined) return undefined;
  const settings = mesh.field(read, "serviceSettings");
  const isLocal = isClusterLocal(settings, mesh.domain, host);
  return ({ cluster = clusterId, clusterOnly = false }) =>
    cluster === own || !isLocal && !clusterOnly;
}

/** Returns the gateways to other networks. */
export function reachOf(
  read: Read,
  { mesh, clusterId }: MeshContext & { readonly clusterId: string },
): Reach {
  const map = read.get(mesh.networks.all, "");
  return {
    networkOf: (endpoint) => networkOf(map, endpoint, clusterId),
    gateways: map.gateways,
  };
}

/**
 * Labels of the topology of endpoints (region, zone, subzone, network, cluster), if a subset selects
 * by one of them.
 */
export function topologyOf(
  read: Read,
  { mesh, clusterId }: MeshContext & { readonly clusterId: string },
  subsets: readonly { readonly labels: Readonly<Record<string, string>> }[],
): ((endpoint: Endpoint) => Readonly<Record<string, string>>) | undefined {
  if (!subsets.some(({ labels }) => hasTopologyLabel(labels))) return undefined;
  const map = read.get(mesh.networks.all, "");
  return (endpoint) =>
    topologyLabels(
      endpoint.locality,
      networkOf(map, endpoint, clusterId),
      endpoint.cluster ?? clusterId,
    );
}
