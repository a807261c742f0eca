/**
 * Listeners for what workloads receive.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { Filter, FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { VirtualHost } from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "#envoy/config/route/v3/route_pb.ts";
import { isHttp, type Protocol } from "../../model/mod.ts";
import { create } from "../../proto/mod.ts";
import { BLACK_HOLE_CLUSTER, INBOUND_PASSTHROUGH_CLUSTER } from "../cluster/mod.ts";
import { MAX_DIRECT_RESPONSE_BODY } from "../route/mod.ts";
import { assemble, listenerName } from "./assemble.ts";
import { chain, type ChainMatch, forwardChain } from "./chain.ts";
import {
  httpInspector,
  httpProtocols,
  not,
  originalDestination,
  portIn,
  RAW_BUFFER,
  tlsInspector,
} from "./detect.ts";
import type { Binding, ManagerDefaults } from "./input.ts";
import { managerFilter } from "./manager.ts";

/** A port of the workload. */
export interface InboundPort {
  readonly port: number;
  /** HTTP protocols are routed, `Unsupported` is detected, all others are forwarded. */
  readonly protocol: Protocol;
  /** `inbound|PORT||`. */
  readonly cluster: string;
  /** Where requests go; looked at unless the port is plain TCP. */
  readonly virtualHost: VirtualHost;
}

/** What the listener for captured inbound connections is made from. */
export interface VirtualInboundInput extends Binding {
  /** Ports that services or Sidecar listeners declare; of two with one number the first counts. */
  readonly ports: readonly InboundPort[];
  /** TPROXY capture. */
  readonly transparent?: boolean;
  readonly manager: ManagerDefaults;
}

/**
 * The listener that captured inbound connections arrive at: a chain for each
 * declared port, and all other ports on to where they were sent. Connections
 * meant for the listener's own port would come back for ever, so they end here.
 */
export function virtualInbound(input: VirtualInboundInput): Listener {
  const { manager } = input;
  const ports = uniquePorts(input.ports, input.port);
  const detected = ports.filter(({ protocol }) => protocol === "Unsupported");
  const inspectors = detected.length === 0 ? [] : inspectorsOf(detected);
  return assemble({
    ...input,
    name: "virtualInbound",
    direction: "inbound",
    bindToPort: true,
    chains: [
      forwardChain(
        "virtualInbound-blackhole",
        { destinationPort: input.port },
        BLACK_HOLE_CLUSTER,
        {},
      ),
      forwardChain("virtualInbound", undefined, INBOUND_PASSTHROUGH_CLUSTER, manager),
      ...ports.flatMap((p) =>
        portChains(p, listenerName(input.bind, p.port), { destinationPort: p.port }, manager)
      ),
    ],
    listenerFilters: [originalDestination(), ...inspectors],
    detects: detected.length > 0,
  });
}

/** Detection waits for the client to speak, so it is kept off all other ports. */
function inspectorsOf(detected: readonly InboundPort[]): ReturnType<typeof tlsInspector>[] {
  const elsewhere = not(portIn(detected.map(({ port }) => port)));
  return [tlsInspector(elsewhere), httpInspector(elsewhere)];
}

function uniquePorts(ports: readonly InboundPort[], own: number): InboundPort[] {
  const byPort = new Map<number, InboundPort>();
  for (const p of ports) if (p.port !== own && !byPort.has(p.port)) byPort.set(p.port, p);
  return [...byPort.values()];
}

/** What a listener of a Sidecar that opens its own port is made from. */
export interface IngressListenerInput extends Omit<InboundPort, "port">, Binding {
  readonly manager: ManagerDefaults;
}

/** An ingress listener of a Sidecar with capture mode `NONE`. */
export function ingressListener(input: IngressListenerInput): Listener {
  const { manager, protocol } = input;
  const detects = protocol === "Unsupported";
  return assemble({
    ...input,
    direction: "inbound",
    bindToPort: true,
    chains: portChains(input, listenerName(input.bind, input.port), undefined, manager),
    listenerFilters: detects ? [tlsInspector(), httpInspector()] : [],
    detects,
  });
}

/** The chains of one port. `match` is what tells it from others of the listener. */
function portChains(
  port: InboundPort,
  name: string,
  match: ChainMatch | undefined,
  manager: ManagerDefaults,
): FilterChain[] {
  const http = (): Filter =>
    managerFilter({
      class: "inbound",
      statPrefix: `inbound_${name}`,
      routes: { inline: inlineRoutes(port) },
      protocol: port.protocol,
      defaults: manager,
    });
  if (isHttp(port.protocol)) return [chain(name, match, http())];
  const tcp = forwardChain(name, match, port.cluster, manager);
  if (port.protocol !== "Unsupported") return [tcp];
  // Envoy does not go back: once it has picked the chains without TLS, one of them
  // must take what is not HTTP. The chain for whatever is left serves TLS then.
  const plain = { ...match, transportProtocol: RAW_BUFFER };
  const detected = { ...plain, applicationProtocols: httpProtocols(manager.http10) };
  return [
    chain(`${name}-http`, detected, http()),
    forwardChain(`${name}-plain`, plain, port.cluster, manager),
    tcp,
  ];
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
