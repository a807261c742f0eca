/**
 * Services as node proxies are sent them.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import { ipBytes, isIpv6, parseCidr } from "../../../kit/text/mod.ts";
import {
  IPFamilies,
  type LoadBalancing,
  LoadBalancing_HealthPolicy,
  LoadBalancing_Mode,
  LoadBalancing_Scope,
  LoadBalancingSchema,
  type NetworkAddress,
  NetworkAddressSchema,
  type Service as ServiceMessage,
  Service_Visibility,
  ServiceSchema,
} from "#mesh/workload/workload_pb.ts";
import type { Service } from "../../model/mod.ts";
import type { WaypointBinding } from "../binding/mod.ts";
import { gatewayAddress, portOf } from "./parts.ts";

/** Addresses of a service in one network. */
export interface NetworkAddresses {
  readonly network: string;
  readonly addresses: readonly string[];
}

/** Everything that a service's message is made of. */
export interface ServiceFactsForAddress {
  /** Name of the object that defines it. */
  readonly name: string;
  readonly service: Service;
  readonly addresses: readonly NetworkAddresses[];
  readonly binding: WaypointBinding;
  /** Families of addresses that its object names; empty: those of its addresses. */
  readonly families: readonly string[];
  /** True if endpoints that are not ready are used. */
  readonly publishUnready: boolean;
  /** Number of a port → port of its workloads, unless they say otherwise. */
  readonly targets: Readonly<Record<number, number>>;
  /** True if it is the one that counts for its host where several namespaces define it. */
  readonly isCanonical: boolean;
}

/** Makes the message; fields that mean the default are left out. */
export function serviceMessage(facts: ServiceFactsForAddress): ServiceMessage {
  const { service, binding, targets } = facts;
  const { waypoint, canary } = binding;
  const loadBalancing = loadBalancingOf(service, facts.publishUnready);
  const primary = waypoint?.service && gatewayAddress(waypoint.service);
  const second = canary?.waypoint.service && gatewayAddress(canary.waypoint.service);
  const { exportTo, namespace } = service;
  const isPrivate = exportTo !== "public" && exportTo.every((one) => one === namespace);
  return create(ServiceSchema, {
    name: facts.name,
    namespace,
    hostname: service.host,
    addresses: facts.addresses.flatMap(({ network, addresses }) =>
      addresses.flatMap((address) => networkAddress(network, address) ?? [])
    ),
    ports: service.ports.filter(({ protocol }) => protocol !== "UDP").map((port) =>
      portOf(port.number, targets[port.number] ?? port.targetPort, port.protocol)
    ),
    subjectAltNames: [...service.subjectAltNames],
    ...(primary === undefined ? {} : { waypoint: primary }),
    ...(loadBalancing === undefined ? {} : { loadBalancing }),
    ipFamilies: familiesOf(facts.families),
    canonical: facts.isCanonical,
    ingressUseWaypoint: binding.ingress,
    weightedWaypoints: primary === undefined || second === undefined || canary === undefined
      ? []
      : [
        { destination: primary, weight: 100 - canary.weight },
        { destination: second, weight: canary.weight },
      ],
    visibility: isPrivate ? Service_Visibility.NAMESPACE : Service_Visibility.PUBLIC,
  });
}

/** An address, or a range of addresses, in a network; undefined: it is none. */
function networkAddress(network: string, text: string): NetworkAddress | undefined {
  const [base = "", prefix] = text.split("/");
  const address = ipBytes(base);
  if (address === undefined) return undefined;
  if (prefix === undefined) return create(NetworkAddressSchema, { network, address });
  const full = isIpv6(base) ? 128 : 32;
  if (parseCidr(text) === undefined || Number(prefix) === full) {
    return create(NetworkAddressSchema, { network, address });
  }
  return create(NetworkAddressSchema, { network, address, length: Number(prefix) });
}

function familiesOf(families: readonly string[]): IPFamilies {
  if (families.length > 1) return IPFamilies.DUAL;
  if (families[0] === "IPv6") return IPFamilies.IPV6_ONLY;
  return families[0] === "IPv4" ? IPFamilies.IPV4_ONLY : IPFamilies.AUTOMATIC;
}

const { NETWORK, REGION, ZONE, SUBZONE, NODE } = LoadBalancing_Scope;

/** The choice of endpoints; undefined: any that is ready. */
export function loadBalancingOf(
  { nodeLocal, distribution, resolution, headless, registry }: Service,
  publishUnready: boolean,
): LoadBalancing | undefined {
  const healthPolicy = publishUnready
    ? LoadBalancing_HealthPolicy.ALLOW_ALL
    : LoadBalancing_HealthPolicy.ONLY_HEALTHY;
  const made = (mode: LoadBalancing_Mode, routingPreference: LoadBalancing_Scope[] = []) =>
    create(LoadBalancingSchema, { mode, routingPreference, healthPolicy });
  if (nodeLocal) return made(LoadBalancing_Mode.STRICT, [NODE]);
  if (resolution === "NONE" && !headless && !registry) return made(LoadBalancing_Mode.PASSTHROUGH);
  switch (distribution) {
    case "same-zone":
      return made(LoadBalancing_Mode.FAILOVER, [NETWORK, REGION, ZONE]);
    case "same-node":
      return made(LoadBalancing_Mode.FAILOVER, [NETWORK, REGION, ZONE, SUBZONE, NODE]);
    default:
      return publishUnready ? made(LoadBalancing_Mode.UNSPECIFIED_MODE) : undefined;
  }
}
