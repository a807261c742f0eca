/**
 * Cluster names. They are an interface: routes, statistics, debug commands and the SNI of other
 * gateways use them.
 *
 * @module
 */

import type { Direction } from "../../model/mod.ts";

/** Forwards traffic for unknown addresses to its original destination. */
export const PASSTHROUGH_CLUSTER = "PassthroughCluster";

/** Forwards requests for unknown hosts to the address that DNS returns. */
export const DYNAMIC_PASSTHROUGH_CLUSTER = "DynamicPassthroughCluster";

/** Drops traffic: the cluster has no endpoints. */
export const BLACK_HOLE_CLUSTER = "BlackHoleCluster";

/** Forwards inbound traffic to undeclared ports. */
export const INBOUND_PASSTHROUGH_CLUSTER = "InboundPassthroughCluster";

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

/** Returns a cluster's name in statistics. A semicolon ends it, because host names contain dots. */
export function statName(name: string): string {
  return `${name};`;
}
