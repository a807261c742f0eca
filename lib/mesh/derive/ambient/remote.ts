/**
 * Workloads of other networks, as clients see them: for each global service and gateway of a network, one
 * workload that stands for those behind the gateway.
 *
 * @module
 */
import { type Derived, type KeyCodec, keyOf, type Read, text } from "../../graph/mod.ts";
import {
  acceptsTunnels,
  type Endpoint,
  GATEWAY_NAME_LABEL,
  type ServiceKey,
  serviceKeys,
} from "../../model/mod.ts";
import { addressTexts, gatewayWorkload, splitWorkload } from "../../ambient/mod.ts";
import type { AmbientTables } from "./ambient.ts";
import { networkAt, type TunnelGateway } from "./networks.ts";
import { trustDomainOf } from "./policies.ts";
import { type ServiceAddress, serviceAt } from "./services.ts";
import type { WorkloadAddress } from "./workloads.ts";

/** The part of a global service in one network. */
export interface NetworkShare {
  readonly network: string;
  /** Sum of the weights of its endpoints that are ready. */
  readonly capacity: number;
  /** Identities of its endpoints, sorted. */
  readonly identities: readonly string[];
}

/** A service as clients in one network see that of another one. */
export interface RemoteService {
  readonly network: string;
  readonly service: ServiceKey;
}

/** The codec of {@link RemoteService}. */
export const remoteServices: KeyCodec<RemoteService> = keyOf<RemoteService>({
  network: text,
  service: serviceKeys,
});

/** The derived tables about other networks. */
export interface RemoteTables {
  /** A service → its parts by network, sorted; none for a service that is not global. */
  readonly shares: Derived<readonly NetworkShare[], ServiceKey>;
  /** Network of clients → services that have workloads in other networks with gateways. */
  readonly services: Derived<readonly RemoteService[]>;
  /** Network of clients → other networks with gateways. */
  readonly networks: Derived<readonly string[]>;
}

type Inputs = Omit<AmbientTables, "remote">;

/** Creates the tables. A network of clients that is empty is that of the daemon's cluster. */
export function deriveRemote(inputs: Inputs): RemoteTables {
  const { mesh: { graph }, indexes, networks } = inputs;
  const shares = graph.derive(
    "ambient.shares",
    serviceKeys,
    (read, key): readonly NetworkShare[] => sharesOf(read, inputs, key),
  );
  const others: RemoteTables["networks"] = graph.derive(
    "ambient.otherNetworks",
    text,
    (read, viewer): readonly string[] => {
      const own = viewer || read.get(networks.own, "");
      if (own === "") return [];
      return [...new Set(read.members(indexes.networks, "all"))].sort().filter((network) =>
        network !== own && read.get(networks.gateways, network).length > 0
      );
    },
  );
  return {
    shares,
    networks: others,
    services: graph.derive(
      "ambient.remoteServices",
      text,
      (read, viewer): readonly RemoteService[] => {
        const known = new Set(read.get(others, viewer));
        if (known.size === 0) return [];
        return read.members(indexes.services, "all").flatMap((service) =>
          read.get(shares, service)
            .filter(({ network, capacity }) => capacity > 0 && known.has(network))
            .map(({ network }) => ({ network, service }))
        );
      },
    ),
  };
}

function sharesOf(read: Read, inputs: Inputs, key: ServiceKey): NetworkShare[] {
  const { services, waypoints, global, clusterId } = inputs;
  if (!read.get(global, key)) return [];
  // A waypoint reaches workloads without tunnels, too.
  const hasWaypoint = read.get(waypoints.ofService, key).waypoint !== undefined;
  const domain = trustDomainOf(read, inputs.field);
  const found = new Map<string, { capacity: number; identities: Set<string> }>();
  for (const endpoint of read.get(services.endpoints, key)) {
    const reached = hasWaypoint || acceptsTunnels(endpoint) || isWaypoint(read, inputs, endpoint);
    if (!reached) continue;
    const { cluster = clusterId } = endpoint;
    const network = networkAt(read, inputs, {
      ...endpoint,
      cluster: cluster === clusterId ? undefined : cluster,
    });
    const share = found.get(network) ?? { capacity: 0, identities: new Set() };
    if (endpoint.health === "healthy") share.capacity += Math.max(1, endpoint.weight);
    const { namespace, serviceAccount } = endpoint;
    if (serviceAccount !== "") {
      share.identities.add(`spiffe://${domain}/ns/${namespace}/sa/${serviceAccount}`);
    }
    found.set(network, share);
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([network, share]) => ({
    network,
    capacity: share.capacity,
    identities: [...share.identities].sort(),
  }));
}

/** Reports if an endpoint is a proxy of a waypoint. */
function isWaypoint(
  read: Read,
  { waypoints }: Inputs,
  { namespace, labels }: Pick<Endpoint, "namespace" | "labels">,
): boolean {
  const name = labels[GATEWAY_NAME_LABEL] ?? "";
  return name !== "" && read.get(waypoints.waypoint, { namespace, name }) !== undefined;
}

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
