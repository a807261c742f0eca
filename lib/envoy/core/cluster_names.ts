/**
 * Names of clusters. They are an interface: routes, statistics, debug commands
 * and other gateways' SNI go by them.
 *
 * @module
 */

/** Which way a cluster's traffic goes. `inbound-vip` is that of a waypoint. */
export type Direction = "inbound" | "outbound" | "inbound-vip";

/** Traffic to addresses that no service claims goes where it wanted to go. */
export const PASSTHROUGH_CLUSTER = "PassthroughCluster";

/** Requests for hosts that no service claims go where their names lead. */
export const DYNAMIC_PASSTHROUGH_CLUSTER = "DynamicPassthroughCluster";

/** Traffic that must not leave: the cluster has no endpoints. */
export const BLACK_HOLE_CLUSTER = "BlackHoleCluster";

/** Inbound traffic to ports that no service declares. */
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

/** The name of a workload's own port: `inbound|8080||`. */
export function inboundClusterName(port: number): string {
  return clusterName("inbound", port, "", "");
}

/** Name of the virtual host of an inbound port: `inbound|http|8080`. */
export function inboundHostName(port: number): string {
  return `inbound|http|${port}`;
}

/** The same in characters that a TLS server name may have: `outbound_.80_.v1_.reviews…`. */
export function dnsSrvClusterName(
  direction: Direction,
  port: number,
  subset: string,
  host: string,
): string {
  return `${direction}_.${port}_.${subset}_.${host}`;
}

/** Reads a name of either form; `undefined` when it is none. */
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

// A subset's name holds no underscore, so the first `_.` behind the port ends it.
const SRV_FORM = /^(inbound-vip|inbound|outbound)_\.(\d{1,5})_\.([^_]*)_\.(.*)$/;

/** A cluster's name in statistics; the semicolon ends it, because host names hold the dots that else would. */
export function statName(name: string): string {
  return `${name};`;
}
