/**
 * Gateways of the Gateway API as gateways of networks: those with the label of a network.
 *
 * @module
 */
import { type Read, text } from "../../graph/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { type NetworkGateway, networkLabel, objectKey, objectKeys } from "../../model/mod.ts";
import {
  type BoundGateway,
  type Gateway,
  hostsOfGateway,
  isAutomatic,
  statedAddresses,
} from "../../gateway_api/mod.ts";
import type { GatewayApi } from "./bindings.ts";
import { frontOf } from "./lookups.ts";

/** Finds networks with their gateways. */
export type NetworkGateways = (
  read: Read,
) => Iterable<readonly [network: string, gateway: NetworkGateway]>;

/**
 * The gateways of networks: addresses of the Services in front of a Gateway, or those that a Gateway of
 * another control plane states; at the port of the listener that forwards to clusters by server name.
 */
export function networkGatewaysOf(api: GatewayApi): NetworkGateways {
  const { mesh: { graph }, api: tables, bound } = api;
  const withNetworks = graph.index(
    tables.gateways,
    "GatewayApi.networks",
    { bucket: text, member: objectKeys },
    ({ meta: { namespace, name, labels } }: Gateway) =>
      networkLabel(labels) === "" ? [] : [["all", { namespace, name }]],
  );
  return function* (read) {
    for (const key of read.members(withNetworks, "all")) {
      const row = read.get(tables.gateways, objectKey(key));
      const found = read.get(bound.gateways, key);
      if (row === undefined || found === undefined || found.role === "waypoint") continue;
      const ports = portsOf(row, found);
      for (const address of addressesOf(read, api, row, found)) {
        for (const port of ports) yield [networkLabel(row.meta.labels), { address, port }];
      }
    }
  };
}

/** Ports of the listeners that forward by server name; those of another control plane are not bound. */
function portsOf(gateway: Gateway, { role, listeners }: BoundGateway): readonly number[] {
  const own = role === "remote"
    ? gateway.spec.listeners ?? []
    : listeners.filter(({ programmed }) => programmed).map(({ spec }) => spec);
  const automatic = own.filter((spec) =>
    spec.protocol === "TLS" && spec.tls?.mode === "Passthrough" && isAutomatic(spec, gateway)
  );
  return [...new Set(automatic.map(({ port }) => port))];
}

function addressesOf(
  read: Read,
  api: GatewayApi,
  row: Gateway,
  { role, namespace, className }: BoundGateway,
): readonly string[] {
  if (role === "remote") return statedAddresses(row.spec).map(({ value }) => value).filter(isIp);
  const hosts = hostsOfGateway(row, { className, domain: api.mesh.domain });
  return hosts.flatMap((host) =>
    frontOf(read, api, { host, namespace, isDeployed: false })?.externalAddresses ?? []
  ).filter(isIp);
}
