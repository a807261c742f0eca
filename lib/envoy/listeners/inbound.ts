/**
 * Inbound listeners of workloads.
 *
 * @module
 */
import type {
  Filter,
  FilterChain,
  ListenerFilter,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import type { ServerTLSSettings } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { isHttp, type PeerMode, type Protocol } from "../../model/mod.ts";
import { create } from "../../proto/mod.ts";
import { serverTls } from "../authentication/mod.ts";
import { type ManagerDefaults, managerFilter } from "../connection_manager/mod.ts";
import { BLACK_HOLE_CLUSTER, INBOUND_PASSTHROUGH_CLUSTER } from "../core/mod.ts";
import { inboundRoute } from "../routes/mod.ts";
import { MAX_DIRECT_RESPONSE_BODY } from "../virtual_hosts/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { chain, forwardChain } from "./chain.ts";
import {
  httpInspector,
  not,
  originalDestination,
  originalSource,
  portIn,
  tlsInspector,
} from "./detect.ts";
import { type Guard, looks, NO_GUARD, type Tell, type Way, waysIn } from "./guard.ts";
import { type Binding, forwarding } from "./input.ts";
import { documentFilter } from "./protocol_filters.ts";
import type { KnownProtocol } from "./tcp_chain.ts";

/** A port of the workload. */
export interface InboundPort {
  readonly port: number;
  /** HTTP protocols are routed, `Unsupported` is detected, all others are forwarded. */
  readonly protocol: Protocol;
  /** `inbound|PORT||`. */
  readonly cluster: string;
  /** Protocol of its connections, if they are parsed. */
  readonly speaks?: KnownProtocol;
  /** Virtual host of the requests; unused for plain TCP. */
  readonly virtualHost: VirtualHost;
  /** TLS that is terminated at this port instead of the mesh's mutual TLS. */
  readonly tls?: ServerTLSSettings | undefined;
}

/** Input of the listener for captured inbound connections. */
export interface VirtualInboundInput extends Binding {
  /**
   * Declared ports of services or Sidecar listeners; if two have the same number, the first one is
   * used.
   */
  readonly ports: readonly InboundPort[];
  /** TPROXY capture: the workload sees its clients' addresses. */
  readonly transparent?: boolean;
  readonly manager: ManagerDefaults;
  /** Default: everything is allowed. */
  readonly guard?: Guard;
}

/**
 * Builds the listener of captured inbound connections: one chain for each declared port; other
 * ports are forwarded to their original destination. Connections to the listener's own port would
 * loop, so they are closed.
 */
export function virtualInbound(input: VirtualInboundInput): Listener {
  const { manager, guard = NO_GUARD } = input;
  const rest = undeclared(0, guard);
  const named = guard.named.map((port) => undeclared(port, guard));
  const ports = uniquePorts([...input.ports, ...named], input.port);
  const modes = ports.map((p) => ({ ...p, mode: guard.mode(p.port) }));
  const inspectors = inspectorsOf(modes, { ...rest, mode: guard.otherwise }, guard);
  return assemble({
    ...input,
    name: "virtualInbound",
    direction: "inbound",
    bindToPort: true,
    chains: [
      forwardChain("virtualInbound-blackhole", {
        match: { destinationPort: input.port },
        cluster: BLACK_HOLE_CLUSTER,
      }),
      ...portChains(rest, { name: "virtualInbound", manager, guard, mode: guard.otherwise }),
      ...modes.flatMap((p) => {
        const name = listenerName(input.bind, p.port);
        return portChains(p, {
          name,
          match: { destinationPort: p.port },
          manager,
          guard,
          mode: p.mode,
        });
      }),
    ],
    listenerFilters: [
      originalDestination(),
      ...(input.transparent ? [originalSource()] : []),
      ...inspectors,
    ],
    detects: inspectors.length > 0,
  });
}

/**
 * Returns the port for undeclared ports. Connections are forwarded to their original destination;
 * HTTP is detected if there are policies for requests.
 */
function undeclared(port: number, guard: Guard): InboundPort {
  const cluster = INBOUND_PASSTHROUGH_CLUSTER;
  return {
    port,
    protocol: guard.http.length > 0 ? "Unsupported" : "TCP",
    cluster,
    virtualHost: create(VirtualHostSchema, {
      name: "inbound|passthrough|http",
      domains: ["*"],
      routes: [inboundRoute(cluster, "*")],
    }),
  };
}

type ModedPort = InboundPort & { readonly mode: PeerMode };

/** Detection waits for the client's first bytes, so it is disabled on ports that do not need it. */
function inspectorsOf(
  ports: readonly ModedPort[],
  rest: ModedPort,
  guard: Guard,
): ListenerFilter[] {
  const filters = [["tls", tlsInspector], ["http", httpInspector]] as const;
  return filters.flatMap(([what, make]) => {
    const needs = (p: ModedPort): boolean =>
      p.tls === undefined && looks(p.protocol, p.mode, guard)[what];
    const [wanting, others] = [ports.filter(needs), ports.filter((p) => !needs(p))];
    const numbers = (some: readonly ModedPort[]): number[] => some.map(({ port }) => port);
    if (needs(rest)) return [make(others.length === 0 ? undefined : portIn(numbers(others)))];
    return wanting.length === 0 ? [] : [make(not(portIn(numbers(wanting))))];
  });
}

function uniquePorts(ports: readonly InboundPort[], own: number): InboundPort[] {
  const byPort = new Map<number, InboundPort>();
  for (const p of ports) if (p.port !== own && !byPort.has(p.port)) byPort.set(p.port, p);
  return [...byPort.values()];
}

/** Input of a Sidecar listener that opens its own port. */
export interface IngressListenerInput extends Omit<InboundPort, "port">, Binding {
  readonly manager: ManagerDefaults;
  /** Default: everything is allowed. */
  readonly guard?: Guard;
}

/** All connections have TLS that is terminated here, so no inspection is needed. */
const NOT_LOOKED_AT = { tls: false, http: false };

/** An ingress listener of a Sidecar with capture mode `NONE`. */
export function ingressListener(input: IngressListenerInput): Listener {
  const { manager, protocol, guard = NO_GUARD } = input;
  const mode = guard.mode(input.port);
  const { tls, http } = input.tls === undefined ? looks(protocol, mode, guard) : NOT_LOOKED_AT;
  return assemble({
    ...input,
    direction: "inbound",
    bindToPort: true,
    chains: portChains(input, {
      name: listenerName(input.bind, input.port),
      manager,
      guard,
      mode,
    }),
    listenerFilters: [...(tls ? [tlsInspector()] : []), ...(http ? [httpInspector()] : [])],
    detects: tls || http,
  });
}

/** Inputs of {@link portChains} besides the port. */
interface PortChains {
  /** Name of the port's chains; each chain adds a suffix. */
  readonly name: string;
  /** Match that separates the port from others of the listener. */
  readonly match?: Tell;
  readonly manager: ManagerDefaults;
  readonly guard: Guard;
  /** Mutual TLS mode of the port. */
  readonly mode: PeerMode;
}

/** The chains of one port. */
function portChains(
  port: InboundPort,
  { name, match, manager, guard, mode }: PortChains,
): FilterChain[] {
  const ways = port.tls === undefined
    ? waysIn(port.protocol, mode, guard, manager.http10)
    : [ownWay(port.protocol)];
  const socket = port.tls === undefined
    ? guard.tls
    : serverTls(port.tls, ways[0]?.carries === "http");
  const http = (mutual: boolean): Filter =>
    managerFilter({
      class: "inbound",
      statPrefix: `inbound_${name}`,
      routes: { inline: inlineRoutes(port) },
      protocol: port.protocol,
      guard: guard.http,
      mutual,
      defaults: manager,
    });
  return ways.map((way) => {
    const told = { ...match, ...way.match };
    const at = Object.keys(told).length === 0 ? undefined : told;
    const transportSocket = way.ends && socket;
    const called = name + way.suffix;
    if (way.carries === "http") {
      return chain(called, at, http(way.ends === true), { transportSocket });
    }
    const how = forwarding(manager, way.ends ? "mutual" : "server");
    if (way.carries === "nothing") {
      return forwardChain(called, { ...how, match: at, cluster: BLACK_HOLE_CLUSTER });
    }
    const head = {
      guard: [...guard.tcp, ...(port.speaks === "document" ? [documentFilter(port.cluster)] : [])],
      transportSocket,
    };
    return forwardChain(called, { ...how, match: at, cluster: port.cluster, head });
  });
}

/** The only filter chain of a port with its own TLS. */
function ownWay(protocol: Protocol): Way {
  const http = protocol === "HTTPS" || isHttp(protocol);
  return { suffix: "-tls", match: {}, carries: http ? "http" : "tcp", ends: true };
}

/** The route table of an inbound port, named after its cluster. */
function inlineRoutes({ cluster, virtualHost }: InboundPort): RouteConfiguration {
  return create(RouteConfigurationSchema, {
    name: cluster,
    virtualHosts: [virtualHost],
    validateClusters: false,
    maxDirectResponseBodySizeBytes: MAX_DIRECT_RESPONSE_BODY,
  });
}
