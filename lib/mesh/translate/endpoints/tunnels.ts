/**
 * Tunnels (HBONE) to endpoints: which workloads accept them, and who may be at their end.
 *
 * @module
 */
import { hostPort, type TunnelTo } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { acceptsTunnels, type Endpoint } from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { takesMutual, trustDomainsOf } from "../security/mod.ts";
import type { Context } from "./features.ts";

/**
 * The way to endpoints: straight, by tunnels where workloads accept them, the same as a waypoint, as a waypoint
 * whose node proxy opens the tunnels, or as gateways, which may send through waypoints.
 */
export type EndpointWay = "direct" | "tunnels" | "waypoint" | "captured" | "waypoints";

/** Finds the tunnel to an endpoint's port. */
export type TunnelOf = (endpoint: Endpoint, port: number) => TunnelTo | undefined;

/**
 * Returns the function that finds tunnels. An endpoint that accepts mutual TLS, too, has one only
 * where the mesh prefers tunnels.
 */
export function tunnelsOf(read: Read, context: Context): TunnelOf {
  const takes = takesMutual(read, context);
  const prefers = context.features.tunnels?.preferring === true;
  const domains = trustDomainsOf(read, context);
  return (endpoint, port) => {
    const { address } = endpoint;
    if (!acceptsTunnels(endpoint) || !isIp(address)) return undefined;
    if (!prefers && takes(endpoint, port)) return undefined;
    return {
      to: hostPort(address, port),
      waypoint: "",
      identity: identitiesOf(endpoint, domains),
    };
  };
}

/** The identities that a workload may have, separated by commas; empty: they are not known. */
export function identitiesOf(
  { namespace, serviceAccount }: Pick<Endpoint, "namespace" | "serviceAccount">,
  domains: readonly string[],
): string {
  if (serviceAccount === "") return "";
  return domains.map((domain) => `spiffe://${domain}/ns/${namespace}/sa/${serviceAccount}`)
    .join(",");
}
