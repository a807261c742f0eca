/**
 * Addresses of Gateways, from the Services in front of their proxies.
 *
 * @module
 */
import { isIp } from "../../../kit/text/mod.ts";
import { fullHost, type ObjectKey } from "../../model/mod.ts";
import type { GatewaySpec } from "./objects.ts";

/** A Service in front of a gateway. */
export interface FrontService {
  readonly host: string;
  readonly ports: readonly number[];
  /** IP addresses and hostnames outside the cluster, as its load balancer has them. */
  readonly externalAddresses: readonly string[];
  /** Virtual addresses inside the cluster. */
  readonly addresses: readonly string[];
  /** `ClusterIP`, `LoadBalancer`, `NodePort`; undefined: not known. */
  readonly type?: string;
  /** False: no endpoint of it is ready; undefined: it is not known. */
  readonly ready?: boolean;
}

/** The Service of a host. */
export interface AddressLookup {
  front(host: string): FrontService | undefined;
}

/** An address in the status of a Gateway. */
export interface GatewayAddress {
  readonly type: "IPAddress" | "Hostname";
  readonly value: string;
}

/** The addresses of a Gateway. */
export interface BoundAddresses {
  readonly addresses: readonly GatewayAddress[];
  /** Hosts of its Services that were found. */
  readonly services: readonly FrontService[];
  /** The reason why addresses that the Gateway asks for are not used. */
  readonly unusable: readonly string[];
  /** Services that are known and have no address yet. */
  readonly pending: readonly string[];
}

/** A Gateway, as far as the name of its Service depends on it. */
export interface AddressContext extends ObjectKey {
  readonly className: string;
  /** Domain of the cluster. */
  readonly domain: string;
  /** Annotation `gateway.mesh.io/name-override`. */
  readonly nameOverride?: string;
}

/** Name of the Deployment and the Service of a Gateway without addresses of its own. */
export function deployedName({ name, className, nameOverride }: AddressContext): string {
  return nameOverride || `${name}-${className}`;
}

/** Reports if Mesh deploys the proxies of a Gateway: it names no Service that has them already. */
export function isDeployed({ addresses = [] }: GatewaySpec): boolean {
  return addresses.every(({ type = "IPAddress" }) => type === "IPAddress");
}

/** The hosts of the Services in front of a Gateway. */
export function hostsOfGateway(spec: GatewaySpec, context: AddressContext): readonly string[] {
  const { namespace, domain } = context;
  if (isDeployed(spec)) return [fullHost(deployedName(context), namespace, domain)];
  return (spec.addresses ?? []).filter(({ type }) => type === "Hostname")
    .map(({ value = "" }) => fullHost(value, namespace, domain));
}

/** The addresses of a Gateway. */
export function bindAddresses(
  spec: GatewaySpec,
  context: AddressContext,
  look: AddressLookup,
): BoundAddresses {
  const hosts = hostsOfGateway(spec, context);
  const fronts = hosts.map((host) => ({ host, front: look.front(host) }));
  const services = fronts.flatMap(({ front }) => front === undefined ? [] : [front]);
  const outside = (front: FrontService) =>
    front.type === "ClusterIP" ? [front.host] : front.externalAddresses;
  const values = [...new Set(services.flatMap(outside))];
  const asked = (spec.addresses ?? []).filter(({ type = "IPAddress" }) => type === "IPAddress")
    .flatMap(({ value = "" }) => value === "" ? [] : [value]);
  return {
    addresses: values.map(typed),
    services,
    unusable: [
      ...fronts.filter(({ front }) => front === undefined)
        .map(({ host }) => `hostname "${host}" not found`),
      ...asked.filter((value) => !values.includes(value))
        .map((value) => `address "${value}" is not an address of the Service`),
    ],
    pending: services.filter((front) => outside(front).length === 0).map(({ host }) => host),
  };
}

/** The addresses that a Gateway of another control plane states. */
export function statedAddresses({ addresses = [] }: GatewaySpec): readonly GatewayAddress[] {
  return addresses.flatMap(({ value = "" }) => value === "" ? [] : [typed(value)]);
}

function typed(value: string): GatewayAddress {
  return { type: isIp(value) ? "IPAddress" : "Hostname", value };
}
