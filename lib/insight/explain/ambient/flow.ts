/**
 * The way of a connection through node proxies, waypoints and tunnels.
 *
 * @module
 */
import type { GatewayAddress, Service, Workload } from "#mesh/workload/workload_pb.ts";
import { ipText } from "../../../kit/text/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import type { Call } from "../../simulate/mod.ts";
import type { Cause, ExplainedStep, Outcome } from "../../verdict/mod.ts";
import { gatewayKeyOf, type Party, partyAt, proxyKnown, type World } from "../world.ts";
import { cross } from "./across.ts";
import { alike, forAll } from "./alike.ts";
import { capacityOf, chosen } from "./choice.ts";
import { principalOfWorkload, type ServiceEndpoint, takesTunnels } from "./known.ts";
import { placesBehind } from "./plain.ts";
import { atNodeProxy } from "./server.ts";
import {
  type Arrival,
  type Client,
  type Content,
  hostPort,
  kindOf,
  nodeProxyOf,
  type Travel,
} from "./travel.ts";

/** A connection at an address of a workload, or of something outside the mesh. */
export function arrive(travel: Travel, arrival: Arrival): Outcome[] {
  const { world, known, byAddress } = travel;
  const { sender, to: { ip, port }, tunnelled } = arrival;
  const party = partyAt(byAddress, ip, port);
  if (party !== undefined) return travel.enter(party, inboundCall(arrival));
  if (proxyKnown(world, ip, "") === "some") {
    travel.elsewhere.add(hostPort(ip, port));
    return [unknown(sender, `the sidecar of ${ip}:${port} is not connected here`, ALL_DAEMONS)];
  }
  const workload = known?.workloadAt(ip);
  if (workload !== undefined && takesTunnels(workload)) {
    return [atNodeProxy(travel, arrival, workload)];
  }
  const text = `${kindOf(arrival)} to ${hostPort(ip, port)}`;
  if (tunnelled) return [unknown(sender, `who ends the tunnel at ${ip}:${port}`, ALL_DAEMONS)];
  return [{ share: 1, kind: "reached", proxy: sender, text, endpoints: [hostPort(ip, port)] }];
}

const ALL_DAEMONS =
  "Ask all daemons: meshctl explain request without --daemon, or one --daemon for each.";

/** The call as the proxy at its end sees it. */
function inboundCall({ client, to, content, tunnelled }: Arrival): Call {
  const { principal } = client;
  return {
    ...content,
    direction: "inbound",
    source: { ip: client.ip },
    destination: to,
    ...(tunnelled ? { tunnel: principal === undefined ? {} : { principal } } : {}),
  };
}

/** A workload whose connections its node's proxy takes. */
export interface Captured {
  readonly workload: Workload;
  readonly client: Client;
}

/** A connection as the node proxy of its workload takes it. */
export function leaveNodeProxy(
  travel: Travel,
  { workload, client }: Captured,
  { to, content }: Pick<Arrival, "to" | "content">,
): Outcome[] {
  const { known, hops } = travel;
  const proxy = nodeProxyOf(workload);
  const steps: ExplainedStep[] = [];
  hops.push({ proxy, direction: "outbound", destination: hostPort(to.ip, to.port), steps });
  const step = (name: string, why: string, causes: readonly Cause[] = []) => {
    steps.push({ step: "destination", name, why, causes });
    for (const { object } of causes) if (object !== undefined) travel.objects.add(object);
  };
  const sends: Sending = { travel, proxy, source: workload, client, content, step };
  const service = known?.serviceAt(to.ip);
  if (service !== undefined) return toService(sends, service, to);
  const at = known?.workloadAt(to.ip);
  if (at === undefined) {
    step(hostPort(to.ip, to.port), "no service or workload of the mesh: goes on as it is");
    return arrive(travel, {
      sender: proxy,
      client: { ip: client.ip },
      to,
      content,
      tunnelled: false,
    });
  }
  step(`${at.name}.${at.namespace}`, "is the workload of the address");
  if (at.waypoint !== undefined) return toWaypoint(sends, at.waypoint, { to });
  return toWorkload(sends, at, to);
}

/** A node proxy that sends. */
interface Sending {
  readonly travel: Travel;
  readonly proxy: string;
  /** The workload whose connection it is. */
  readonly source: Workload;
  readonly client: Client;
  readonly content: Content;
  readonly step: (name: string, why: string, causes?: readonly Cause[]) => void;
}

function toService(sends: Sending, service: Service, to: Arrival["to"]): Outcome[] {
  const { travel, proxy, step } = sends;
  const name = service.hostname;
  const { causes, fault } = bindingOf(travel.world, service);
  const waypoints = service.weightedWaypoints.length > 0
    ? service.weightedWaypoints.map(({ destination, weight }) => [destination, weight] as const)
    : [[service.waypoint, 1] as const];
  const [[first]] = waypoints as [[GatewayAddress | undefined, number]];
  if (first !== undefined) {
    step(name, "is the service of the address, and has a waypoint", causes);
    const whole = waypoints.reduce((sum, [, weight]) => sum + weight, 0) || 1;
    const through = { to, authority: `${name}:${to.port}` };
    return waypoints.flatMap(([one, weight]) =>
      one === undefined || weight === 0
        ? []
        : scaled(toWaypoint(sends, one, through), weight / whole)
    );
  }
  step(name, `is the service of the address${fault === undefined ? "" : `; ${fault}`}`, causes);
  const { source } = sends;
  const ready = travel.known?.endpointsOf(service, to.port) ?? [];
  const endpoints = chosen(source, service, ready);
  if (ready.length > 0 && endpoints.length === 0) {
    return [closed(proxy, `service ${name}`, "none of its endpoints is near the client")];
  }
  if (endpoints.length === 0) {
    const why = service.ports.some(({ servicePort }) => servicePort === to.port)
      ? "it has no healthy endpoints"
      : `it has no port ${to.port}`;
    return [closed(proxy, `service ${name}`, why)];
  }
  if (endpoints.length < ready.length) {
    step(name, `${endpoints.length} of ${ready.length} endpoints are near the client`);
  }
  const authority = `${name}:${to.port}`;
  const whole = endpoints.reduce((sum, { workload }) => sum + capacityOf(workload), 0);
  const share = (some: readonly ServiceEndpoint[]) =>
    some.reduce((sum, { workload }) => sum + capacityOf(workload), 0) / whole;
  const [far, near] = bySide(endpoints);
  return [
    ...far.flatMap((one) => scaled(toNetwork(sends, one.workload, authority), share([one]))),
    ...alike(travel, near, (one) => one).flatMap((group) => {
      const [{ workload, ip, port }] = group;
      const there = ip === ""
        ? [unknown(proxy, `the addresses of ${workload.hostname || name}, which DNS tells`)]
        : toWorkload(sends, workload, { ip, port });
      return forAll(group, share(group), there);
    }),
  ];
}

/** Endpoints behind gateways of other networks, and the others. */
function bySide(
  endpoints: readonly ServiceEndpoint[],
): readonly [far: ServiceEndpoint[], near: ServiceEndpoint[]] {
  const isFar = ({ workload: { networkGateway }, ip }: ServiceEndpoint): boolean =>
    networkGateway !== undefined && ip === "";
  return [endpoints.filter(isFar), endpoints.filter((one) => !isFar(one))];
}

/** A tunnel in a tunnel, to what is behind the gateway of another network. */
function toNetwork(sends: Sending, behind: Workload, authority: string): Outcome[] {
  const { travel, proxy, client, content, step } = sends;
  const entrance = behind.networkGateway?.destination;
  if (entrance?.case !== "address") {
    const name = entrance?.value?.hostname ?? behind.network;
    return [unknown(proxy, `the addresses of the gateway ${name}, which DNS tells`)];
  }
  const address = ipText(entrance.value.address);
  const gateway = travel.known?.workloadAt(address);
  step(
    authority,
    `a tunnel in a tunnel to the gateway ${address} of the network ${behind.network}`,
  );
  return cross(travel, {
    ...{ sender: proxy, client, content, authority, address, network: behind.network },
    accepted: gateway === undefined ? [] : [principalOfWorkload(gateway)],
  });
}

function toWorkload(sends: Sending, workload: Workload, to: Arrival["to"]): Outcome[] {
  const { travel, proxy, client, content, step } = sends;
  const name = `${workload.name}.${workload.namespace}`;
  const tunnelled = takesTunnels(workload);
  step(name, tunnelled ? `a tunnel to ${to.ip}` : "takes no tunnels: goes on as it is");
  const seen = tunnelled ? client : { ip: client.ip };
  return arrive(travel, { sender: proxy, client: seen, to, content, tunnelled });
}

/** The content of a tunnel at a waypoint, which is found by the service in front of its proxies. */
function toWaypoint(
  sends: Sending,
  { destination }: GatewayAddress,
  { to, authority }: { readonly to: Arrival["to"]; readonly authority?: string },
): Outcome[] {
  const { travel, proxy, source, client, content, step } = sends;
  const host = destination.case === "hostname" ? destination.value : undefined;
  const front = host && travel.known?.serviceNamed(host.namespace, host.hostname);
  const name = host?.hostname ?? "the waypoint";
  const gateway = gatewayOf(travel.world, host);
  const proxies = front === undefined
    ? []
    : chosen(source, front, travel.known?.endpointsOf(front, TUNNEL_PORT) ?? []);
  const [far, near] = bySide(proxies);
  const [behind] = far;
  if (behind !== undefined && near.length === 0 && authority !== undefined) {
    return toNetwork(sends, behind.workload, authority);
  }
  const party = gateway === undefined
    ? undefined
    : waypointParty(travel.world, gateway, near.map(({ ip }) => ip));
  if (front !== undefined && proxies.length === 0) {
    step(name, "has no healthy endpoints");
    return [closed(proxy, `waypoint ${name}`, "it has no healthy endpoints")];
  }
  if (party === undefined) {
    for (const { ip, port } of near) travel.elsewhere.add(hostPort(ip, port));
    const text = `the waypoint ${gateway ?? name}: none of its proxies is connected here`;
    return [unknown(proxy, text, ALL_DAEMONS)];
  }
  const object = `Gateway/${gateway}`;
  step(`waypoint ${gateway}`, `a tunnel to ${party.node.ip}`, [
    { source: "object", object, decides: "waypoint" },
  ]);
  return atWaypoint(travel, party, { sender: proxy, client, to, content, tunnelled: true });
}

/** The content of a tunnel at a waypoint's proxy. */
export function atWaypoint(travel: Travel, party: Party, arrival: Arrival): Outcome[] {
  return travel.enter(party, inboundCall(arrival));
}

const TUNNEL_PORT = 15008;

/** A proxy of a waypoint, `namespace/name`: one at the addresses, if there is one. */
function waypointParty(
  { parties }: World,
  gateway: string,
  addresses: readonly string[],
): Party | undefined {
  const own = parties.filter((party) =>
    party.node.role === "waypoint" && objectKey(gatewayKeyOf(party)) === gateway
  );
  return own.find(({ node }) => node.ips.some((ip) => addresses.includes(ip))) ?? own[0];
}

/** The Gateway with a service in front of its proxies, `namespace/name`. */
function gatewayOf(
  { mesh: { graph, ambient } }: World,
  host: { readonly namespace: string; readonly hostname: string } | undefined,
): string | undefined {
  if (ambient === undefined || host === undefined) return undefined;
  const found = ambient.indexes.gateways.peek("all").find((key) => {
    const service = graph.peek(ambient.waypoints.waypoint, key)?.service;
    return service?.namespace === host.namespace && service.host === host.hostname;
  });
  return found && objectKey(found);
}

/** The object that names the waypoint of a service, and why a named one is not used. */
function bindingOf(
  { mesh: { graph, ambient, services } }: World,
  { namespace, hostname: host }: Service,
): { readonly causes: readonly Cause[]; readonly fault?: string } {
  if (ambient === undefined) return { causes: [] };
  const { namedBy, fault, waypoint } = graph.peek(ambient.waypoints.ofService, { namespace, host });
  const own = graph.peek(services.service, { namespace, host })?.source;
  const object = namedBy === "namespace" ? `Namespace//${namespace}` : own;
  const names = waypoint !== undefined || fault !== undefined;
  const field = 'metadata.labels["mesh.io/use-waypoint"]';
  return {
    causes: names && object !== undefined
      ? [{ source: "object", object, field, decides: "waypoint" }]
      : [],
    ...(fault === undefined ? {} : { fault: `goes on without a waypoint: ${fault.message}` }),
  };
}

/** A connection of a program without a proxy: the network takes it to an endpoint. */
export function leavePlain(
  travel: Travel,
  sender: string,
  { to, content, client }: Pick<Arrival, "to" | "content" | "client">,
): Outcome[] {
  const plain = { sender, client: { ip: client.ip }, content, tunnelled: false };
  const endpoints = placesBehind(travel, to);
  if (endpoints === undefined) return arrive(travel, { ...plain, to });
  if (endpoints.length === 0) {
    return [unknown(sender, `where the network takes connections to ${to.ip}:${to.port}`)];
  }
  travel.assumptions.add(`the network takes connections to ${to.ip} to endpoints of the service`);
  return alike(travel, endpoints, (one) => one).flatMap((group) => {
    const [{ ip, port }] = group;
    const share = group.length / endpoints.length;
    return forAll(group, share, arrive(travel, { ...plain, to: { ip, port } }));
  });
}

function scaled(outcomes: readonly Outcome[], share: number): Outcome[] {
  return outcomes.map((one) => ({ ...one, share: one.share * share }));
}

function closed(proxy: string, by: string, why: string): Outcome {
  const text = `the connection is closed: ${why}`;
  return { share: 1, kind: "refused", proxy, text, refusal: { by, why, causes: [] } };
}

function unknown(proxy: string, text: string, remedy?: string): Outcome {
  const found = { share: 1, kind: "unknown", proxy, text } as const;
  return remedy === undefined ? found : { ...found, remedy };
}
