/**
 * Names of clusters and route tables of waypoints.
 *
 * @module
 */
import { clusterName } from "../../envoy/mod.ts";
import { parseClusterName } from "../../model/mod.ts";

/** The content of a cluster of a waypoint. */
export type Carried = "http" | "tcp";

/** `inbound-vip|80|http|HOST`, with a subset `inbound-vip|80|http/v1|HOST`. */
export function waypointName(
  carried: Carried,
  { port, subset = "", host }: {
    readonly port: number;
    readonly subset?: string;
    readonly host: string;
  },
): string {
  return clusterName("inbound-vip", port, subset === "" ? carried : `${carried}/${subset}`, host);
}

/** The name that an outbound cluster of a service has at the waypoint of the service. */
export function atWaypoint(carried: Carried, outbound: string): string {
  const parts = parseClusterName(outbound);
  return parts === undefined ? outbound : waypointName(carried, parts);
}
