/**
 * The parts of global services in the networks of the mesh.
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
import type { MeshInputs } from "../indexes/mod.ts";
import type { MeshField } from "../inputs/mod.ts";
import type { Services } from "../services/mod.ts";
import type { AmbientIndexes } from "./indexes.ts";
import { type AmbientNetworks, networkAt } from "./networks.ts";
import { trustDomainOf } from "./policies.ts";
import type { Waypoints } from "./waypoints.ts";

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

/** Everything that they are made from. */
export interface ShareInputs {
  readonly mesh: MeshInputs;
  readonly field: MeshField;
  readonly services: Services;
  readonly waypoints: Waypoints;
  readonly indexes: AmbientIndexes;
  readonly networks: AmbientNetworks;
  /** A service → true if other networks may reach it. */
  readonly global: Derived<boolean, ServiceKey>;
  readonly clusterId: string;
}

/** Creates the tables. A network of clients that is empty is that of the daemon's cluster. */
export function deriveRemote(inputs: ShareInputs): RemoteTables {
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

function sharesOf(read: Read, inputs: ShareInputs, key: ServiceKey): NetworkShare[] {
  const { services, waypoints, global, clusterId } = inputs;
  if (!read.get(global, key)) return [];
  // A waypoint reaches workloads without tunnels, too.
  const hasWaypoint = read.get(waypoints.ofService, key).waypoint !== undefined;
  const domain = trustDomainOf(read, inputs.field);
  const found = new Map<string, { capacity: number; identities: Set<string> }>();
  for (const endpoint of read.get(services.endpoints, key)) {
    const reached = hasWaypoint || acceptsTunnels(endpoint) ||
      isWaypoint(read, inputs, endpoint);
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
  { waypoints }: ShareInputs,
  { namespace, labels }: Pick<Endpoint, "namespace" | "labels">,
): boolean {
  const name = labels[GATEWAY_NAME_LABEL] ?? "";
  return name !== "" && read.get(waypoints.waypoint, { namespace, name }) !== undefined;
}
