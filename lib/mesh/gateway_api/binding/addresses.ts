/**
 * Addresses of Gateways, from the Services in front of their proxies.
 *
 * @module
 */
import { hexDigest } from "../../../kit/base/mod.ts";
import { isIp } from "../../../kit/text/mod.ts";
import { fullHost } from "../../model/mod.ts";
import type { Gateway, GatewaySpec } from "./objects.ts";

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

/** The parts of a Gateway that its addresses depend on. */
export type AddressedGateway = Pick<Gateway, "spec"> & {
  readonly meta: Pick<Gateway["meta"], "namespace" | "name" | "annotations">;
};

/** The cluster of a Gateway, and its class. */
export interface AddressContext {
  readonly className: string;
  /** Domain of the cluster. */
  readonly domain: string;
}

/** Annotation of a Gateway with the name of its Deployment and its Service. */
const NAME_OVERRIDE = "gateway.mesh.io/name-override";
/** Maximum length of the name of a Service (RFC 1123, a label of DNS). */
const NAME_LENGTH = 63;
/** Hexadecimal digits at the end of a name that was too long. */
const DIGEST_LENGTH = 8;

/** The name of the Deployment and the Service of a Gateway without addresses of its own. */
export function deployedName(
  { name, annotations }: Pick<Gateway["meta"], "name" | "annotations">,
  className: string,
): string {
  const full = annotations[NAME_OVERRIDE] || `${name}-${className}`;
  if (full.length <= NAME_LENGTH) return full;
  const digest = hexDigest("sha256", full).slice(0, DIGEST_LENGTH);
  const start = full.slice(0, NAME_LENGTH - DIGEST_LENGTH - 1);
  return `${start.replace(/[^a-z0-9]+$/, "")}-${digest}`;
}

/** Annotation of a Gateway with the service account of its proxies, which Mesh then does not make. */
const SERVICE_ACCOUNT = "gateway.mesh.io/service-account";

/** The service account of the proxies of a Gateway that Mesh deploys, and whether it is the user's own. */
export function deployedAccount(
  meta: Pick<Gateway["meta"], "name" | "annotations">,
  className: string,
): { readonly name: string; readonly own: boolean } {
  const own = meta.annotations[SERVICE_ACCOUNT];
  return own ? { name: own, own: true } : { name: deployedName(meta, className), own: false };
}

/** Reports if Mesh deploys the proxies of a Gateway: it names no Service that has them already. */
export function isDeployed({ addresses = [] }: GatewaySpec): boolean {
  return addresses.every(({ type = "IPAddress" }) => type === "IPAddress");
}

/** The hosts of the Services in front of a Gateway. */
export function hostsOfGateway(
  { meta, spec }: AddressedGateway,
  { className, domain }: AddressContext,
): readonly string[] {
  const { namespace } = meta;
  if (isDeployed(spec)) return [fullHost(deployedName(meta, className), namespace, domain)];
  return (spec.addresses ?? []).filter(({ type }) => type === "Hostname")
    .map(({ value = "" }) => fullHost(value, namespace, domain));
}

/** The addresses of a Gateway. */
export function bindAddresses(
  gateway: AddressedGateway,
  context: AddressContext,
  look: AddressLookup,
): BoundAddresses {
  const { spec } = gateway;
  const hosts = hostsOfGateway(gateway, context);
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
