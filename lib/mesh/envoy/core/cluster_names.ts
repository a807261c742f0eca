/**
 * Cluster names. They are an interface: routes, statistics, debug commands and the SNI of other
 * gateways use them.
 *
 * @module
 */

/** Direction of a cluster's traffic. `inbound-vip` is used by waypoints. */
export type Direction = "inbound" | "outbound" | "inbound-vip";

/** Forwards traffic for unknown addresses to its original destination. */
export const PASSTHROUGH_CLUSTER = "PassthroughCluster";

/** Forwards requests for unknown hosts to the address that DNS returns. */
export const DYNAMIC_PASSTHROUGH_CLUSTER = "DynamicPassthroughCluster";

/** Drops traffic: the cluster has no endpoints. */
export const BLACK_HOLE_CLUSTER = "BlackHoleCluster";

/** Forwards inbound traffic to undeclared ports. */
export const INBOUND_PASSTHROUGH_CLUSTER = "InboundPassthroughCluster";

/** The parts of a cluster's name. */
export interface ClusterNameParts {
  readonly direction: Direction;
  readonly port: number;
  /** Empty: the whole service. */
  readonly subset: string;
  /** Empty for inbound clusters. */
  readonly host: string;
}

/** `outbound|80|v1|reviews.default.svc.cluster.local`. */
export function clusterName(
  direction: Direction,
  port: number,
  subset: string,
  host: string,
): string {
  return `${direction}|${port}|${subset}|${host}`;
}

/** Returns the name of a workload's own port: `inbound|8080||`. */
export function inboundClusterName(port: number): string {
  return clusterName("inbound", port, "", "");
}

/** Name of the virtual host of an inbound port: `inbound|http|8080`. */
export function inboundHostName(port: number): string {
  return `inbound|http|${port}`;
}

/** Returns the name in characters that SNI allows: `outbound_.80_.v1_.reviews…`. */
export function dnsSrvClusterName(
  direction: Direction,
  port: number,
  subset: string,
  host: string,
): string {
  return `${direction}_.${port}_.${subset}_.${host}`;
}

/** Parses a name of either form; `undefined` for other text. */
export function parseClusterName(name: string): ClusterNameParts | undefined {
  const match = BAR_FORM.exec(name) ?? SRV_FORM.exec(name);
  const [, direction, port, subset, host] = match ?? [];
  if (direction === undefined || Number(port) > 65535) return undefined;
  return {
    direction: direction as Direction,
    port: Number(port),
    subset: subset ?? "",
    host: host ?? "",
  };
}

const BAR_FORM = /^(inbound-vip|inbound|outbound)\|(\d{1,5})\|([^|]*)\|([^|]*)$/;

// A subset's name has no underscore, so the first `_.` after the port ends it.
const SRV_FORM = /^(inbound-vip|inbound|outbound)_\.(\d{1,5})_\.([^_]*)_\.(.*)$/;

/** Returns a cluster's name in statistics. A semicolon ends it, because host names contain dots. */
export function statName(name: string): string {
  return `${name};`;
}
