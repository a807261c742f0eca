/**
 * Connections to services of other networks: a tunnel in a tunnel, through the gateway of the network.
 *
 * @module
 */
import { type Forwarded, type Resources, type Target, tunnelRouteOf } from "../../simulate/mod.ts";
import type { Outcome } from "../../verdict/mod.ts";
import { addressOf, usedTargets } from "../targets.ts";
import { gatewayKeyOf, idOf, networkOf, type Party, principalOf, type World } from "../world.ts";
import { alike, forAll } from "./alike.ts";
import { takesTunnels } from "./known.ts";
import { atNodeProxy } from "./server.ts";
import { type Client, type Content, hostPort, inNetwork, type Travel } from "./travel.ts";

/** A connection to a service behind the gateway of another network. */
export interface Crossing {
  /** The proxy that sends. */
  readonly sender: string;
  /** The client, which both tunnels prove. */
  readonly client: Client;
  readonly content: Content;
  /** `host:port` of the service. */
  readonly authority: string;
  /** Address of the gateway. */
  readonly address: string;
  readonly network: string;
  /** Identities that the gateway may have; empty: any. */
  readonly accepted: readonly string[];
}

const ALL_DAEMONS =
  "Ask all daemons: meshctl explain request without --daemon, or one --daemon for each.";

/** Opens both tunnels. The gateway forwards the inner one. */
export function cross(travel: Travel, crossing: Crossing): Outcome[] {
  const { sender, client, content, authority, address, network, accepted } = crossing;
  const party = entranceAt(travel.world, network, address);
  if (party === undefined) {
    for (const place of placesAt(travel.world, address)) travel.elsewhere.add(place);
    const text =
      `the proxy of the gateway ${address} of the network ${network} is not connected here`;
    return [{ share: 1, kind: "unknown", proxy: sender, text, remedy: ALL_DAEMONS }];
  }
  if (!party.node.ips.includes(address)) {
    travel.assumptions.add(`${address} leads to the gateway ${idOf(party)}`);
  }
  const own = principalOf(travel.world, party);
  if (accepted.length > 0 && !accepted.includes(own)) {
    const why = `the gateway at ${address} is ${own}, and the client accepts ${
      accepted.join(", ")
    }`;
    const field = 'metadata.annotations["gateway.mesh.io/service-account"]';
    const causes = gatewaysAt(travel.world, network, address).map((object) => ({
      ...{ source: "object", object, field, decides: "identity" } as const,
    }));
    const text = `the connection is closed: ${why}`;
    const refusal = { by: `gateway ${address}`, why, causes };
    return [{ share: 1, kind: "refused", proxy: sender, text, refusal }];
  }
  const { principal } = client;
  return travel.enter(party, {
    ...{ ...content, direction: "inbound", source: { ip: client.ip } },
    destination: { ip: party.node.ip, port: TUNNEL_PORT },
    tunnel: { authority, ...(principal === undefined ? {} : { principal }) },
  });
}

const TUNNEL_PORT = 15008;

/** An inner tunnel that a gateway has forwarded. */
export interface InnerTunnel {
  readonly party: Party;
  readonly ending: Forwarded;
  readonly authority: string;
  readonly client: Omit<Client, "ip">;
  readonly content: Content;
  /** The resources of a proxy. */
  readonly servedTo: (party: Party) => Resources;
}

/** The inner tunnel at its ends: waypoints, sidecars, and node proxies of workloads. */
export function beyondGateway(travel: Travel, inner: InnerTunnel): Outcome[] {
  const { party, ending: { upstream } } = inner;
  const there = inNetwork(travel, networkOf(party));
  const targets = usedTargets(upstream.endpoints);
  const weightOf = (some: readonly Target[]) =>
    some.reduce((sum, one) => sum + (one.weight || 1), 0);
  const whole = weightOf(targets);
  const groups = alike(there, targets, addressOf, ({ ip }) => endAt(travel.world, ip));
  return groups.flatMap((group) => {
    const outcomes = atEnd(there, inner, addressOf(group[0]).ip);
    return forAll(group, weightOf(group) / whole, outcomes);
  });
}

function atEnd(travel: Travel, inner: InnerTunnel, ip: string): Outcome[] {
  const { party, authority, client, content, servedTo } = inner;
  const sender = idOf(party);
  const arrival = { sender, client: { ...client, ip: party.node.ip }, content, tunnelled: true };
  const unknown = (text: string, remedy?: string): Outcome[] => [{
    ...{ share: 1, kind: "unknown", proxy: sender, text } as const,
    ...(remedy === undefined ? {} : { remedy }),
  }];
  const end = endAt(travel.world, ip);
  if (end !== undefined) {
    const isWaypoint = end.node.role === "waypoint";
    const to = tunnelRouteOf(servedTo(end), authority)?.to;
    if (to === undefined) return noRoute(end, authority);
    const { principal } = client;
    return travel.enter(end, {
      ...{ ...content, direction: "inbound", source: arrival.client },
      // A sidecar's route names the port alone.
      destination: isWaypoint ? addressOf({ address: to }) : { ip, port: portOf(to) },
      tunnel: principal === undefined ? {} : { principal },
    });
  }
  const workload = travel.known?.workloadAt(ip);
  const port = portAt(travel, authority, ip);
  if (workload !== undefined && takesTunnels(workload) && port !== undefined) {
    return [atNodeProxy(travel, { ...arrival, to: { ip, port } }, workload)];
  }
  travel.elsewhere.add(hostPort(ip, TUNNEL_PORT));
  return unknown(`who ends the tunnel at ${ip}`, ALL_DAEMONS);
}

/** The end of an inner tunnel that has no route for its authority. */
function noRoute(party: Party, authority: string): Outcome[] {
  const { role } = party.node;
  const why = `the ${role} has no route for ${authority}`;
  const refusal = { by: `${role} ${idOf(party)}`, why, causes: [] };
  const text = `the connection is closed: ${why}`;
  return [{ share: 1, kind: "refused", proxy: idOf(party), text, refusal }];
}

/** The port of an address or authority. */
function portOf(text: string): number {
  return Number(text.slice(text.lastIndexOf(":") + 1));
}

/** The port of a workload that serves a port of a service. */
function portAt({ known }: Travel, authority: string, ip: string): number | undefined {
  const colon = authority.lastIndexOf(":");
  const host = authority.slice(0, colon);
  const port = portOf(authority);
  return known?.servicesOf(host).flatMap((service) => known.endpointsOf(service, port))
    .find((one) => one.ip === ip)?.port;
}

/** A proxy of a gateway between networks: that of an address, else one that leads into the network. */
function entranceAt(
  { parties, mesh: { graph, ambient } }: World,
  network: string,
  address: string,
): Party | undefined {
  if (ambient === undefined) return undefined;
  const found = parties.filter((party) =>
    party.node.role === "waypoint" &&
    graph.peek(ambient.networks.entrance, gatewayKeyOf(party)) === network
  );
  return found.find(({ node }) => node.ips.includes(address)) ?? found[0];
}

/** The proxy that ends tunnels to an address itself: a waypoint or a sidecar. */
function endAt({ parties }: World, ip: string): Party | undefined {
  return parties.find(({ node: { role, ips } }) =>
    (role === "waypoint" || role === "sidecar") && ips.includes(ip)
  );
}

/** The Gateways that say an address, `Gateway/namespace/name`. */
function gatewaysAt(
  { mesh: { graph, ambient } }: World,
  network: string,
  address: string,
): string[] {
  if (ambient === undefined) return [];
  return graph.peek(ambient.networks.gateways, network)
    .filter((one) => one.address === address)
    .map(({ namespace, name }) => `Gateway/${namespace}/${name}`);
}

/** The gateway, and the endpoints of Services at its address. */
function placesAt({ mesh, services }: World, address: string): string[] {
  const fronts = services.filter(({ addresses, externalAddresses = [] }) =>
    addresses.includes(address) || externalAddresses.includes(address)
  );
  const behind = fronts.flatMap((one) => mesh.graph.peek(mesh.services.endpoints, one));
  return [address, ...behind.map((one) => one.address)].map((ip) => hostPort(ip, TUNNEL_PORT));
}
