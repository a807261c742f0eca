/**
 * The networks of the mesh: the network of each endpoint, and the gateways by which
 * its endpoints are reached from other networks.
 *
 * @module
 */
import { type Derived, type Read, text as textKeys } from "../../graph/mod.ts";
import {
  type Endpoint,
  type NetworkGateway,
  networkLabel,
  type ServiceKey,
  serviceKeys,
} from "../../model/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { isIp, rangeContains } from "../../../kit/text/mod.ts";
import { isRange, MESH_ROW } from "../inputs/mod.ts";
import { localityOf } from "./endpoints.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { Services } from "./services.ts";

/** All networks. */
export interface NetworkMap {
  /** Network → its gateways. Endpoints of networks that are not here are reached directly. */
  readonly gateways: ReadonlyMap<string, readonly NetworkGateway[]>;
  /** Ranges of addresses, the narrowest first. */
  readonly ranges: readonly { readonly range: string; readonly network: string }[];
  /** Id of a cluster → the network its endpoints are in. */
  readonly registries: ReadonlyMap<string, string>;
}

/** The derived tables about networks. */
export interface Networks {
  /** One cell, key `""`. */
  readonly all: Derived<NetworkMap>;
  /** Networks of a service's endpoints, sorted; `""` for endpoints in no network. */
  readonly ofService: Derived<readonly string[], ServiceKey>;
}

/** Sources of networks beside the settings of networks and the labels of Services. */
export interface NetworkSources {
  /** The cluster that endpoints of files belong to. */
  readonly clusterId: string;
  /** Further gateways of networks. */
  further(read: Read): Iterable<readonly [network: string, gateway: NetworkGateway]>;
}

/** Creates the tables. */
export function deriveNetworks(
  inputs: MeshInputs,
  services: Services,
  { clusterId, further }: NetworkSources,
): Networks {
  const { graph, tables } = inputs;
  const all = graph.derive("networks", textKeys, (read): NetworkMap => {
    const { networks } = read.get(tables.networks, MESH_ROW) ?? NONE;
    const gateways = new Map<string, NetworkGateway[]>();
    const ranges: { range: string; network: string }[] = [];
    const registries = new Map<string, string>();
    for (const [network, { endpoints, gateways: ways }] of Object.entries(networks)) {
      for (const { ne } of endpoints) {
        if (ne.case === "fromCidr") ranges.push({ range: ne.value, network });
        else if (ne.case === "fromRegistry") registries.set(ne.value, network);
      }
      const found = ways.flatMap(({ gw, port, locality }) =>
        waysOf(read, services, gw, port).map((way): NetworkGateway => ({
          ...way,
          ...(locality === "" ? {} : { locality: localityOf(locality) }),
        }))
      );
      if (found.length > 0) gateways.set(network, found);
    }
    for (const [network, gateway] of [...gatewaysByLabel(read, inputs), ...further(read)]) {
      const known = gateways.get(network) ?? [];
      const isKnown = known.some(({ address, port }) =>
        address === gateway.address && port === gateway.port
      );
      if (!isKnown) gateways.set(network, [...known, gateway]);
    }
    ranges.sort((a, b) => prefixOf(b.range) - prefixOf(a.range));
    return { gateways, ranges, registries };
  });
  const ofService = graph.derive(
    "networks.service",
    serviceKeys,
    (read, key): readonly string[] => {
      const map = read.get(all, "");
      const found = read.get(services.endpoints, key).map((e) => networkOf(map, e, clusterId));
      return [...new Set(found)].sort();
    },
  );
  return { all, ofService };
}

const NONE: Pick<MeshNetworks, "networks"> = { networks: {} };

type Way = MeshNetworks["networks"][string]["gateways"][number]["gw"];

/**
 * Addresses and ports of a gateway: its own address, or those of the service that it names.
 *
 * @param port of the gateway, or of the service
 */
function waysOf(
  read: Read,
  services: Services,
  gw: Way,
  port: number,
): Pick<NetworkGateway, "address" | "port">[] {
  if (gw.case === "address") return isIp(gw.value) ? [{ address: gw.value, port }] : [];
  if (gw.case !== "registryServiceName") return [];
  const key = read.get(services.resolve, { namespace: "", host: gw.value.toLowerCase() });
  const service = key === undefined ? undefined : read.get(services.service, key);
  if (service === undefined) return [];
  // Other networks reach a Service at its external addresses; at none while their names are unknown.
  const { externalAddresses = [] } = service;
  const outside = externalAddresses.filter(isIp);
  if (service.nodePorts !== undefined) return atNodes(outside, service.nodePorts[port]);
  if (externalAddresses.length > 0) return outside.map((address) => ({ address, port }));
  const own = service.addresses.filter((address) => !isRange(address) && isIp(address));
  const addresses = own.length > 0
    ? own
    : read.get(services.endpoints, service).map((e) => e.address).filter(isIp);
  return addresses.map((address) => ({ address, port }));
}

/** Gateways at addresses of nodes; none if the port has none there. */
function atNodes(
  addresses: readonly string[],
  port: number | undefined,
): Pick<NetworkGateway, "address" | "port">[] {
  return port === undefined ? [] : addresses.map((address) => ({ address, port }));
}

/** Port of the gateways of networks, unless a label of the Service gives another one. */
const GATEWAY_PORT = 15443;
const PORT_LABEL = "networking.mesh.io/gatewayPort";

/** External addresses of the Services with the label of a network: its gateways. */
function* gatewaysByLabel(
  read: Read,
  { tables, indexes }: MeshInputs,
): Iterable<readonly [network: string, gateway: NetworkGateway]> {
  for (const key of [...read.members(indexes.networkGateways, "all")].sort()) {
    const row = read.get(tables.serviceEntries, key);
    if (row === undefined) continue;
    const { meta: { labels }, service } = row;
    const port = Number(labels[PORT_LABEL] ?? GATEWAY_PORT);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) continue;
    const { externalAddresses = [], nodePorts } = service ?? {};
    const reached = nodePorts === undefined ? port : nodePorts[port];
    for (const gateway of atNodes(externalAddresses.filter(isIp), reached)) {
      yield [networkLabel(labels), gateway];
    }
  }
}

function prefixOf(range: string): number {
  return Number(range.slice(range.indexOf("/") + 1));
}

/** The network of an endpoint: its own field, else the narrowest range, else its cluster's; `""`: none. */
export function networkOf(
  { ranges, registries }: NetworkMap,
  { network, address, cluster }: Pick<Endpoint, "network" | "address" | "cluster">,
  clusterId: string,
): string {
  if (network !== "") return network;
  const range = isIp(address)
    ? ranges.find((one) => rangeContains(one.range, address))?.network
    : undefined;
  return range ?? registries.get(cluster ?? clusterId) ?? "";
}
