/**
 * The proxies and services among which a request travels.
 *
 * @module
 */
import type { Mesh } from "../../mesh/derive/mod.ts";
import type { View } from "../../mesh/graph/mod.ts";
import {
  AGENT_TYPE_URLS,
  type ConfigObject,
  GATEWAY_NAME_LABEL,
  type ObjectKey,
  type ProxyClass,
  type ProxyNode,
  type Service,
  serviceKeys,
} from "../../mesh/model/mod.ts";
import { fromBinary } from "../../kit/proto/mod.ts";
import { isIp } from "../../kit/text/mod.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { MESH_ROW } from "../../mesh/derive/mod.ts";
import { hasMutualProxy } from "../../mesh/translate/mod.ts";
import type { Decode, KeyKnowledge } from "../simulate/mod.ts";

/** A proxy with its views; a session of a connected proxy is one. */
export interface Party {
  readonly node: ProxyNode;
  readonly classKey: string;
  /** Progress of its resource types; unset for a proxy that is not connected. */
  readonly types?: readonly { readonly short: string; readonly state: string }[];
  /** True: its service account is not known, and `default` stands for it. */
  readonly accountUnknown?: true;
  /** True: its views have what it is sent when it asks for it on demand. */
  readonly asksOnDemand?: true;
  view(typeUrl: string): View | undefined;
}

/** Everything that explanations read. */
export interface World {
  readonly mesh: Mesh;
  readonly parties: readonly Party[];
  readonly services: readonly Service[];
  /**
   * The resources of node proxies of a network, by type URL; an empty network is that of the daemon's cluster.
   * Unset: ambient mode is off.
   */
  readonly nodeProxy?: (typeUrl: string, network: string) => View | undefined;
  /** Decodes the resources of node proxies; default: as other resources. */
  readonly nodeProxyDecode?: Decode;
  /** Finds an object with its position. */
  readonly objectOf?: (kind: string, key: string) => Pick<ConfigObject, "meta"> | undefined;
  /** Milliseconds since the epoch; unset: tokens with a limited validity are not decided. */
  readonly now?: number;
  readonly keys?: KeyKnowledge;
  /** Decodes resources; default: at each question again. */
  readonly decode?: Decode;
  /** Addresses of proxies that stand for one that is not known. */
  readonly assumedAddresses?: readonly string[];
}

/** Returns the name of a proxy in questions: `NAME.NAMESPACE`. */
export function idOf({ node }: Pick<Party, "node">): string {
  return `${node.name}.${node.namespace}`;
}

/** Returns the class of a proxy; its key is its content. */
export function classOf({ classKey }: Pick<Party, "classKey">): Omit<ProxyClass, "key"> {
  return JSON.parse(classKey) as Omit<ProxyClass, "key">;
}

/** Returns the Gateway that a proxy was deployed for. */
export function gatewayKeyOf(party: Pick<Party, "classKey">): ObjectKey {
  const { namespace, labels } = classOf(party);
  return { namespace, name: labels[GATEWAY_NAME_LABEL] ?? "" };
}

/** Returns the network of a proxy; empty: it says none. */
export function networkOf(
  { node: { metadata: { NETWORK: network } } }: Pick<Party, "node">,
): string {
  return typeof network === "string" ? network : "";
}

/** Returns the identity in a proxy's certificate: its namespace and service account. */
export function principalOf({ mesh }: World, party: Party): string {
  const domain = mesh.tables.mesh.peek(MESH_ROW)?.trustDomain || "cluster.local";
  const { namespace, serviceAccount } = classOf(party);
  return `spiffe://${domain}/ns/${namespace}/sa/${serviceAccount || "default"}`;
}

/** Sidecars by their addresses. */
export type PartiesByAddress = ReadonlyMap<string, readonly Party[]>;

/** Returns the sidecars by their addresses. */
export function partiesByAddress({ parties }: Pick<World, "parties">): PartiesByAddress {
  const found = new Map<string, Party[]>();
  for (const party of parties) {
    if (party.node.role !== "sidecar") continue;
    for (const ip of party.node.ips) {
      const there = found.get(ip);
      if (there === undefined) found.set(ip, [party]);
      else there.push(party);
    }
  }
  return found;
}

/** Returns the sidecar of an endpoint, if one of the proxies has its address. */
export function partyAt(parties: PartiesByAddress, ip: string, port: number): Party | undefined {
  const there = parties.get(ip) ?? [];
  const serves = (party: Party): boolean =>
    classOf(party).targets.some(({ targetPort, port: own }) => targetPort === port || own === port);
  return there.find(serves) ?? (there.length === 1 ? there[0] : undefined);
}

/** Reports if a service declares that the application at a port of a workload speaks TLS. */
export function servesTls({ services }: World, party: Party, port: number): boolean {
  const targets = classOf(party).targets.filter(({ targetPort }) => targetPort === port);
  return targets.some((target) => {
    const { host, namespace } = serviceKeys.decode(target.service);
    const own = services.find((one) => one.host === host && one.namespace === namespace);
    const protocol = own?.ports.find(({ number }) => number === target.port)?.protocol;
    return protocol === "TLS" || protocol === "HTTPS";
  });
}

/** Knowledge about the proxy of an endpoint: it has one, or none, or it probably has none. */
export type ProxyKnowledge = "some" | "none" | "unlikely";

/**
 * Reports if the workload of an address has a proxy, as far as the services say: first those of a host,
 * whose endpoint it should be, because the endpoints of all are many.
 */
export function proxyKnown({ mesh, services }: World, ip: string, host: string): ProxyKnowledge {
  const own = services.filter((one) => one.host === host);
  for (const service of [...own, ...services]) {
    const endpoint = mesh.graph.peek(mesh.services.endpoints, service)
      .find(({ address }) => address === ip);
    if (endpoint === undefined) continue;
    if (hasMutualProxy(endpoint)) return "some";
    return endpoint.pod === true ? "none" : "unlikely";
  }
  return "unlikely";
}

/** Address of hosts that are unknown (RFC 5737, documentation). */
const ELSEWHERE = "192.0.2.1";

/** The address that a workload connects to for a host. */
export interface Resolved {
  readonly ip: string;
  /** False: the host is no service of the mesh, and the address stands for an unknown one. */
  readonly known: boolean;
}

/** Resolves a host as a workload does: by the name table, services, their endpoints. */
export function resolve(world: World, party: Party, host: string): Resolved {
  if (isIp(host)) return { ip: host, known: true };
  const names = [host, `${host}.${party.node.dnsDomain}`];
  const addresses = nameTableOf(world, party);
  for (const name of names) {
    const ip = addresses(name).find(isIp);
    if (ip !== undefined) return { ip, known: true };
  }
  for (const name of names) {
    const service = world.services.find((one) =>
      one.host === name || one.host.startsWith("*.") && name.endsWith(one.host.slice(1))
    );
    if (service !== undefined) return { ip: addressOf(world, service), known: true };
  }
  return { ip: ELSEWHERE, known: false };
}

function addressOf({ mesh }: World, service: Service): string {
  const fixed = service.addresses.map((one) => one.split("/")[0]!).find(isIp);
  if (fixed !== undefined) return fixed;
  const endpoints = mesh.graph.peek(mesh.services.endpoints, service);
  return endpoints.map(({ address }) => address).find(isIp) ?? ELSEWHERE;
}

/** The addresses of a name in the table of a proxy's agent. */
function nameTableOf(
  { decode = fromBinary }: Pick<World, "decode">,
  party: Party,
): (name: string) => readonly string[] {
  const tables = [...party.view(AGENT_TYPE_URLS.nameTable)?.entries() ?? []]
    .map(({ bytes }) => decode(NameTableSchema, bytes).table);
  return (name) => tables.findLast((one) => Object.hasOwn(one, name))?.[name]?.ips ?? [];
}
