/**
 * Inbound listeners of workloads.
 *
 * @module
 */
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
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
import { flatMapInParts, type Parts, UNDIVIDED } from "../../../kit/base/mod.ts";
import { isHttp, type PeerMode, type Protocol } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { serverTls } from "../authentication/mod.ts";
import { type ManagerDefaults, managerFilter } from "../connection_manager/mod.ts";
import {
  BLACK_HOLE_CLUSTER,
  cidrRange,
  INBOUND_PASSTHROUGH_CLUSTER,
  MAIN_INTERNAL,
} from "../core/mod.ts";
import { inboundRoute } from "../routes/mod.ts";
import { MAX_DIRECT_RESPONSE_BODY } from "../virtual_hosts/mod.ts";
import { assemble, assembleInternal, listenerName } from "./assemble.ts";
import { chain, forwardChain } from "./chain.ts";
import {
  httpInspector,
  not,
  originalDestination,
  originalSource,
  portIn,
  tlsInspector,
} from "./detect.ts";
import {
  type ChainPlan,
  inboundChains,
  neededInspection,
  NO_SECURITY,
  type PortMatch,
  type SecurityPolicies,
} from "./security.ts";
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
  readonly security?: SecurityPolicies;
  /** True: HTTP is detected at undeclared ports. Default: only if policies for requests need it. */
  readonly detectsUndeclared?: boolean;
  /** Divides the building of many ports. Default: it is not divided. */
  readonly parts?: Parts;
}

/**
 * Builds the listener of captured inbound connections: one chain for each declared port; other
 * ports are forwarded to their original destination. Connections to the listener's own port would
 * loop, so they are closed.
 */
export function virtualInbound(input: VirtualInboundInput): Listener {
  const { manager, security = NO_SECURITY } = input;
  const detects = detectsUndeclared(input);
  const rest = undeclared(detects);
  const named = security.named.map((port) => ({ ...rest, port }));
  const ports = uniquePorts([...input.ports, ...named], [input.port]);
  const modes = ports.map((p) => ({ ...p, mode: security.mode(p.port) }));
  const inspectors = inspectorsOf(modes, { ...rest, mode: security.otherwise }, security);
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
      ...portChains(rest, { name: "virtualInbound", manager, security, mode: security.otherwise }),
      ...flatMapInParts(input.parts ?? UNDIVIDED, modes, (p) => {
        const name = listenerName(input.bind, p.port);
        return portChains(p, {
          name,
          match: { destinationPort: p.port },
          manager,
          security,
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

function detectsUndeclared(
  { detectsUndeclared, security = NO_SECURITY }: VirtualInboundInput,
): boolean {
  return detectsUndeclared === true || security.http.length > 0;
}

/** Input of the listener for the content of tunnels. */
export interface MainInternalInput
  extends Omit<VirtualInboundInput, "bind" | "port" | "extraBinds"> {
  /** True: connections to undeclared ports are closed. */
  readonly declaredOnly: boolean;
  /** Ports of the proxy itself, to which no tunnel leads. */
  readonly closed: readonly number[];
}

/**
 * Addresses that no tunnel to an undeclared port leads to: they are those of the machine, where
 * programs listen that trust whoever connects, the proxy's administration among them.
 */
const OWN_MACHINE = ["127.0.0.0/8", "0.0.0.0/8", "::/127", "::ffff:0:0/96"];

/**
 * Builds the internal listener for the content of ended tunnels: the chains of {@link virtualInbound}
 * without TLS, because tunnels prove the identity of clients.
 */
export function mainInternal(input: MainInternalInput): Listener {
  const { manager, security = NO_SECURITY, closed } = input;
  const rest = undeclared(detectsUndeclared({ ...input, bind: "", port: 0 }));
  const ports = uniquePorts(input.ports, closed);
  const named = { manager, security, mode: "disable", tunnelled: true } as const;
  const open = (port: InboundPort): ModedPort => ({ ...port, tls: undefined, mode: "disable" });
  const inspectors = inspectorsOf(ports.map(open), open(rest), security);
  const nothing = (name: string, match: PortMatch | undefined): FilterChain =>
    forwardChain(name, { match, cluster: BLACK_HOLE_CLUSTER });
  return assembleInternal({
    ...input,
    name: MAIN_INTERNAL,
    direction: "inbound",
    chains: [
      ...closed.map((port) =>
        nothing(`${MAIN_INTERNAL}-closed-${port}`, { destinationPort: port })
      ),
      nothing(`${MAIN_INTERNAL}-machine`, { prefixRanges: OWN_MACHINE.map(rangeOf) }),
      ...(input.declaredOnly
        ? [nothing(`${MAIN_INTERNAL}-undeclared`, undefined)]
        : portChains(rest, { ...named, name: MAIN_INTERNAL })),
      ...flatMapInParts(
        input.parts ?? UNDIVIDED,
        ports,
        (p) =>
          portChains({ ...p, tls: undefined }, {
            ...named,
            name: listenerName(MAIN_INTERNAL, p.port),
            match: { destinationPort: p.port },
          }),
      ),
    ],
    listenerFilters: [
      originalDestination(),
      ...(input.transparent ? [originalSource()] : []),
      ...inspectors,
    ],
    detects: inspectors.length > 0,
  });
}

function rangeOf(range: string): CidrRange {
  return cidrRange(range)!;
}

/**
 * Returns the port 0 for undeclared ports. Connections are forwarded to their original destination.
 *
 * @param detects HTTP is detected, because something acts on requests
 */
function undeclared(detects: boolean): InboundPort {
  const cluster = INBOUND_PASSTHROUGH_CLUSTER;
  return {
    port: 0,
    protocol: detects ? "Unsupported" : "TCP",
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
  security: SecurityPolicies,
): ListenerFilter[] {
  const filters = [["tls", tlsInspector], ["http", httpInspector]] as const;
  return filters.flatMap(([what, make]) => {
    const needs = (p: ModedPort): boolean =>
      p.tls === undefined && neededInspection(p.protocol, p.mode, security)[what];
    const [wanting, others] = [ports.filter(needs), ports.filter((p) => !needs(p))];
    const numbers = (some: readonly ModedPort[]): number[] => some.map(({ port }) => port);
    if (needs(rest)) return [make(others.length === 0 ? undefined : portIn(numbers(others)))];
    return wanting.length === 0 ? [] : [make(not(portIn(numbers(wanting))))];
  });
}

function uniquePorts(ports: readonly InboundPort[], own: readonly number[]): InboundPort[] {
  const byPort = new Map<number, InboundPort>();
  for (const p of ports) if (!own.includes(p.port) && !byPort.has(p.port)) byPort.set(p.port, p);
  return [...byPort.values()];
}

/** Input of a Sidecar listener that opens its own port. */
export interface IngressListenerInput extends Omit<InboundPort, "port">, Binding {
  readonly manager: ManagerDefaults;
  /** Default: everything is allowed. */
  readonly security?: SecurityPolicies;
}

/** All connections have TLS that is terminated here, so no inspection is needed. */
const NOT_LOOKED_AT = { tls: false, http: false };

/** An ingress listener of a Sidecar with capture mode `NONE`. */
export function ingressListener(input: IngressListenerInput): Listener {
  const { manager, protocol, security = NO_SECURITY } = input;
  const mode = security.mode(input.port);
  const { tls, http } = input.tls === undefined
    ? neededInspection(protocol, mode, security)
    : NOT_LOOKED_AT;
  return assemble({
    ...input,
    direction: "inbound",
    bindToPort: true,
    chains: portChains(input, {
      name: listenerName(input.bind, input.port),
      manager,
      security,
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
  readonly match?: PortMatch;
  readonly manager: ManagerDefaults;
  readonly security: SecurityPolicies;
  /** Mutual TLS mode of the port. */
  readonly mode: PeerMode;
  /** True: connections came through tunnels. */
  readonly tunnelled?: boolean;
}

function portChains(
  port: InboundPort,
  { name, match, manager, security, mode, tunnelled }: PortChains,
): FilterChain[] {
  const ways = port.tls === undefined
    ? inboundChains(port.protocol, mode, security, manager.http10)
    : [ownChain(port.protocol)];
  const socket = port.tls === undefined ? security.tls : serverTls(port.tls);
  const http = (mutual: boolean): Filter =>
    managerFilter({
      class: "inbound",
      statPrefix: `inbound_${name}`,
      routes: { inline: inlineRoutes(port) },
      protocol: port.protocol,
      security: security.http,
      mutual,
      tunnelled,
      defaults: manager,
    });
  return ways.map((way) => {
    const merged = { ...match, ...way.match };
    const at = Object.keys(merged).length === 0 ? undefined : merged;
    const transportSocket = way.ends && socket;
    const called = name + way.suffix;
    if (way.carries === "http") {
      return chain(called, at, http(way.ends === true), { transportSocket });
    }
    const how = forwarding(manager, tunnelled ? "tunnel" : way.ends ? "mutual" : "server");
    if (way.carries === "nothing") {
      return forwardChain(called, { ...how, match: at, cluster: BLACK_HOLE_CLUSTER });
    }
    const head = {
      security: [
        ...security.tcp,
        ...(port.speaks === "document" ? [documentFilter(port.cluster)] : []),
      ],
      transportSocket,
    };
    return forwardChain(called, { ...how, match: at, cluster: port.cluster, head });
  });
}

/** The only filter chain of a port with its own TLS. */
function ownChain(protocol: Protocol): ChainPlan {
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
