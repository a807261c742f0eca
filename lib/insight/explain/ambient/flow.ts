/**
 * The way of a connection through node proxies, waypoints and tunnels.
 *
 * @module
 */
import type { GatewayAddress, Service, Workload } from "#mesh/workload/workload_pb.ts";
import { GATEWAY_NAME_LABEL, objectKey } from "../../../mesh/model/mod.ts";
import type { Call } from "../../simulate/mod.ts";
import type { Cause, ExplainedStep, Outcome } from "../../verdict/mod.ts";
import { classOf, type Party, partyAt, proxyKnown, type World } from "../world.ts";
import { alike, forAll } from "./alike.ts";
import { takesTunnels } from "./known.ts";
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
  const sends: Sending = { travel, proxy, client, content, step };
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
  if (at.waypoint !== undefined) return toWaypoint(sends, at.waypoint, to);
  return toWorkload(sends, at, to);
}

/** A node proxy that sends. */
interface Sending {
  readonly travel: Travel;
  readonly proxy: string;
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
    return waypoints.flatMap(([one, weight]) =>
      one === undefined || weight === 0 ? [] : scaled(toWaypoint(sends, one, to), weight / whole)
    );
  }
  step(name, `is the service of the address${fault === undefined ? "" : `; ${fault}`}`, causes);
  const endpoints = travel.known?.endpointsOf(service, to.port) ?? [];
  if (endpoints.length === 0) {
    const why = service.ports.some(({ servicePort }) => servicePort === to.port)
      ? "it has no healthy endpoints"
      : `it has no port ${to.port}`;
    return [closed(proxy, `service ${name}`, why)];
  }
  const outcomes = alike(travel, endpoints, (one) => one).flatMap((group) => {
    const [{ workload, ip, port }] = group;
    const there = ip === "" && workload.networkGateway === undefined
      ? [unknown(proxy, `the addresses of ${workload.hostname || name}, which DNS tells`)]
      : toWorkload(sends, workload, { ip, port });
    return forAll(group, endpoints.length, there);
  });
  const kinds = new Set(outcomes.map(({ kind }) => kind));
  if (kinds.size > 1 && (service.loadBalancing?.routingPreference.length ?? 0) > 0) {
    return [unknown(proxy, `which endpoint of ${name} is near the node proxy`)];
  }
  return outcomes;
}

function toWorkload(sends: Sending, workload: Workload, to: Arrival["to"]): Outcome[] {
  const { travel, proxy, client, content, step } = sends;
  const name = `${workload.name}.${workload.namespace}`;
  if (workload.networkGateway !== undefined && workload.addresses.length === 0) {
    return [unknown(proxy, `what is behind the gateway of the network ${workload.network}`)];
  }
  const tunnelled = takesTunnels(workload);
  step(name, tunnelled ? `a tunnel to ${to.ip}` : "takes no tunnels: goes on as it is");
  const seen = tunnelled ? client : { ip: client.ip };
  return arrive(travel, { sender: proxy, client: seen, to, content, tunnelled });
}

/** The content of a tunnel at a waypoint, which is found by the service in front of its proxies. */
function toWaypoint(sends: Sending, { destination }: GatewayAddress, to: Arrival["to"]): Outcome[] {
  const { travel, proxy, client, content, step } = sends;
  const host = destination.case === "hostname" ? destination.value : undefined;
  const front = host && travel.known?.serviceNamed(host.namespace, host.hostname);
  const name = host?.hostname ?? "the waypoint";
  const gateway = gatewayOf(travel.world, host);
  const party = gateway === undefined ? undefined : waypointParty(travel.world, gateway);
  if (front !== undefined && travel.known?.endpointsOf(front, TUNNEL_PORT).length === 0) {
    step(name, "has no healthy endpoints");
    return [closed(proxy, `waypoint ${name}`, "it has no healthy endpoints")];
  }
  if (party === undefined) {
    const proxies = front === undefined ? [] : travel.known?.endpointsOf(front, TUNNEL_PORT) ?? [];
    for (const { ip, port } of proxies) travel.elsewhere.add(hostPort(ip, port));
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

/** A proxy of a waypoint, `namespace/name`. */
function waypointParty({ parties }: World, gateway: string): Party | undefined {
  return parties.find((party) => {
    if (party.node.role !== "waypoint") return false;
    const { namespace, labels } = classOf(party);
    return objectKey({ namespace, name: labels[GATEWAY_NAME_LABEL] ?? "" }) === gateway;
  });
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
    return forAll(group, endpoints.length, arrive(travel, { ...plain, to: { ip, port } }));
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
