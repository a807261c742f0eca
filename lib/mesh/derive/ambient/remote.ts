/**
 * Workloads of other networks, as clients see them: for each global service and gateway of a network, one
 * workload that stands for those behind the gateway.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { serviceKeys } from "../../model/mod.ts";
import { addressTexts, gatewayWorkload, splitWorkload } from "../../ambient/mod.ts";
import type { AmbientTables } from "./ambient.ts";
import type { TunnelGateway } from "./networks.ts";
import { trustDomainOf } from "./policies.ts";
import { type ServiceAddress, serviceAt } from "./services.ts";
import type { RemoteService } from "./shares.ts";
import type { WorkloadAddress } from "./workloads.ts";

/** Reports if clients of a network reach a workload's network without a gateway. */
export function isNear(
  read: Read,
  { networks }: AmbientTables,
  viewer: string,
  network: string,
): boolean {
  const own = viewer || read.get(networks.own, "");
  return own === "" || network === "" || network === own;
}

/** A service as clients of a network see it: they also accept the identities of its remote workloads. */
export function serviceFrom(
  read: Read,
  inputs: AmbientTables,
  { network: viewer, service }: RemoteService,
): ServiceAddress | undefined {
  const found = serviceAt(read, inputs, service);
  if (found === undefined) return undefined;
  const others = read.get(inputs.remote.shares, service)
    .filter(({ network }) => !isNear(read, inputs, viewer, network));
  if (others.length === 0) return found;
  const names = [
    ...found.message.subjectAltNames,
    ...others.flatMap(({ identities }) => identities),
  ];
  return {
    ...found,
    message: { ...found.message, subjectAltNames: [...new Set(names)].sort() },
  };
}

/** The workloads that stand for those of a service in another network: one for each gateway. */
export function remoteWorkloads(
  read: Read,
  inputs: AmbientTables,
  { network, service }: RemoteService,
): WorkloadAddress[] {
  const share = read.get(inputs.remote.shares, service).find((one) => one.network === network);
  const address = serviceAt(read, inputs, service);
  if (share === undefined || address === undefined) return [];
  const gateways = read.get(inputs.networks.gateways, network);
  const capacity = Math.max(1, Math.round(share.capacity / gateways.length));
  return gateways.map((gateway) => ({
    message: splitWorkload({
      ...common(read, inputs, gateway),
      service,
      ports: address.message.ports,
      capacity,
    }),
    aliases: [],
    partOf: [serviceKeys.encode(service)],
  }));
}

/** The gateways of a network as workloads, at whose addresses clients know their identities. */
export function gatewayWorkloads(
  read: Read,
  inputs: AmbientTables,
  network: string,
): WorkloadAddress[] {
  return read.get(inputs.networks.gateways, network).map((gateway) => ({
    message: gatewayWorkload(common(read, inputs, gateway)),
    aliases: addressTexts(network, [gateway.address]),
    partOf: [],
  }));
}

function common(read: Read, inputs: AmbientTables, gateway: TunnelGateway) {
  return { gateway, trustDomain: trustDomainOf(read, inputs.field), clusterId: inputs.clusterId };
}
