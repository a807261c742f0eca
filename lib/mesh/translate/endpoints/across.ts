/**
 * Tunnels to endpoints in other networks: through the gateways of those that take them, for global services.
 *
 * @module
 */
import { type AcrossNetworks, hostPort } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ServiceKey, ServicePort } from "../../model/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { trustDomainsOf } from "../security/mod.ts";
import type { Context } from "./features.ts";
import { type EndpointWay, identitiesOf } from "./tunnels.ts";

/** Finds the tunnels of a service to other networks; `undefined`: the mesh has none. */
export function acrossNetworks(
  read: Read,
  context: Context,
  way: EndpointWay,
  key: ServiceKey,
): ((port: Pick<ServicePort, "number">) => AcrossNetworks) | undefined {
  const { mesh: { ambient, tables }, features: { networks } } = context;
  if (ambient === undefined || networks === undefined || way === "direct") return undefined;
  const isSender = way === "tunnels" ||
    (way === "waypoint" ? networks.waypoints : way === "waypoints" && networks.gateways);
  const domains = trustDomainsOf(read, context);
  return ({ number }) => ({
    service: `${key.host}:${number}`,
    allowed: isSender && read.get(ambient.global, key),
    strict: way === "waypoint" || way === "captured",
    identities: (endpoint) => identitiesOf(endpoint, domains),
    gateways: (network) =>
      read.get(ambient.networks.gateways, network).flatMap(({ address, port, ...account }) =>
        (isIp(address) ? [address] : read.get(tables.gatewayNames, address) ?? []).map((ip) => ({
          address: ip,
          port,
          to: hostPort(ip, port),
          identity: identitiesOf(account, domains),
        }))
      ),
  });
}
