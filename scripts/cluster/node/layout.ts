/**
 * Addresses of a cluster with nodes. They are the same in every cluster, because each has a network
 * of its own; only the link to the machine differs.
 *
 * @module
 */

/** The bridge between API server and nodes. */
export const BRIDGE = "nodes0";
/** The API server's address for nodes and pods. */
export const CONTROL_ADDRESS = "10.99.0.1";
/** Port of the API server. */
export const API_PORT = 6443;
/** Addresses of Services. */
export const SERVICE_RANGE = "10.96.0.0/16";
/** The same of IPv6, in a cluster with both versions of IP. */
export const SERVICE_RANGE_6 = "fd00:10:96::/112";
/** The API server's address of IPv6 for nodes and pods. */
export const CONTROL_ADDRESS_6 = "fd00:10:99::1";
/** The first address of Services is that of the API server's own. */
export const API_SERVICE_ADDRESS = "10.96.0.1";
export const API_SERVICE_ADDRESS_6 = "fd00:10:96::1";
/** Address of the name server's Service. */
export const DNS_ADDRESS = "10.96.0.10";
export const DNS_ADDRESS_6 = "fd00:10:96::a";
/** Port at which the name server tells that it is ready. */
export const DNS_READY_PORT = 8181;
/** Addresses of all pods. */
export const POD_RANGE = "10.244.0.0/16";
export const POD_RANGE_6 = "fd00:10:244::/48";
export const CLUSTER_DOMAIN = "cluster.local";

/** Time for a start on a busy machine, in milliseconds: it takes 5 s on an idle one. */
export const START_MS = 180_000;

/** The first plugin of the pods' network: a link of its own for each pod, or a bridge on each node. */
export const POD_NETWORKS = ["ptp", "bridge"] as const;

export type PodNetwork = typeof POD_NETWORKS[number];

export interface NodeLayout {
  readonly name: string;
  readonly address: string;
  /** Addresses of its pods. */
  readonly pods: string;
  /** The versions of IP of its pods. */
  readonly versions: IpVersions;
  /** The same of IPv6; absent: the cluster has IPv4 alone. */
  readonly ipv6?: { readonly address: string; readonly pods: string };
}

/**
 * Versions of IP of pods and Services, and of nodes as the orchestrator knows them. Programs of a node reach the API
 * server by IPv4 in each case.
 */
export type IpVersions = "4" | "46" | "6";

/** Most nodes of a cluster. */
export const MOST_NODES = 9;

/** Nodes `node-1` to `node-N`. */
export function nodeLayouts(count: number, versions: IpVersions = "4"): NodeLayout[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `node-${i + 1}`,
    address: `10.99.0.${11 + i}`,
    pods: `10.244.${i + 1}.0/24`,
    versions,
    ...versions !== "4" &&
      { ipv6: { address: `fd00:10:99::${11 + i}`, pods: `fd00:10:244:${i + 1}::/64` } },
  }));
}

/** Values for the versions of IP of a cluster, as flags have them. */
export function forVersions(versions: IpVersions, ipv4: string, ipv6: string): string {
  return [...versions].map((version) => version === "4" ? ipv4 : ipv6).join(",");
}

/** A link between the machine and a cluster. */
export interface LinkLayout {
  readonly link: string;
  /** The machine's address. */
  readonly machine: string;
  /** The cluster's address, at which the machine reaches the API server. */
  readonly cluster: string;
}

/** Most clusters at the same time. */
export const MOST_LINKS = 250;

/** The link with a number; its addresses are of the range for tests of networks (RFC 2544). */
export function linkLayout(number: number): LinkLayout {
  return {
    link: `mesh-node${number}`,
    machine: `198.18.${number}.1`,
    cluster: `198.18.${number}.2`,
  };
}
