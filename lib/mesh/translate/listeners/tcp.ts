/**
 * Builds outbound listeners: the one that the services of a port share, and those of single addresses.
 *
 * @module
 */
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { flatMapInParts, holdDecisions, inParts } from "../../../kit/base/mod.ts";
import { isRange } from "../../derive/mod.ts";
import {
  listenersAt,
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  type RouteSource,
  type TcpChain,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { isTls, mayBeTcp, type Protocol, type Service } from "../../model/mod.ts";
import {
  addressesOf,
  detectedTable,
  findService,
  followService,
  isOfFamily,
  listenedAddresses,
  type ListenerVariant,
  wildcard,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import { passthroughFor, tcpDestinations, tlsDestinations } from "../destinations/mod.ts";
import { encodeInParts, resourceOf } from "../resources/mod.ts";
import { managerDefaults } from "./defaults.ts";

/** A port at which a variant of proxies listens, and their clients. */
export interface ListenerScope {
  readonly variant: ListenerVariant;
  readonly namespace: string;
  readonly port: number;
  /** Source labels of the clients; without them rules that match source labels do not apply. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Keys of the DestinationRules that select the clients, oldest first. */
  readonly rules?: readonly string[] | undefined;
  /** Key of the Sidecar that shapes the listener; `""` for none. */
  readonly sidecar: string;
  /** The address in the Sidecar. */
  readonly bind?: string | undefined;
  /** Route table for detected HTTP; `undefined`: a Sidecar excludes HTTP. */
  readonly httpRoutes?: string | undefined;
  /** Protocol of the port of a Sidecar, which excludes HTTP; it counts instead of the services' own. */
  readonly protocol?: Protocol | undefined;
}

/** The clients of a listener. */
function sourceOf({ namespace, labels = {}, rules }: ListenerScope): RouteSource {
  return { namespace, labels, rules };
}

/**
 * The services of some hosts that have a TCP port of this number, oldest first, then by host. Aliases
 * have none: connections to them go to the addresses of the other host.
 */
export function tcpServices(
  read: Read,
  context: Context,
  { namespace, port, protocol }: Pick<ListenerScope, "namespace" | "port" | "protocol">,
  hosts: Iterable<string>,
): Service[] {
  const age = (s: Service): number => s.creationTime || Number.MAX_SAFE_INTEGER;
  const services: Service[] = [];
  for (const host of hosts) {
    const service = findService(read, context, namespace, host);
    if (service === undefined || service.alias !== undefined) continue;
    if (protocolAt(service, { port, protocol }) !== undefined) services.push(service);
  }
  return services.sort((a, b) => age(a) - age(b) || (a.host < b.host ? -1 : 1));
}

/** The protocol of a service's port; `undefined` when it carries no TCP. */
function protocolAt(
  service: Service,
  { port, protocol }: Pick<ListenerScope, "port" | "protocol">,
): Protocol | undefined {
  const carries = (one: Protocol): boolean =>
    protocol === undefined ? mayBeTcp(one) : one !== "UDP";
  const found = service.ports.find((p) => p.number === port && carries(p.protocol));
  return found && (protocol ?? found.protocol);
}

/** The services of a shared listener. */
export interface SharedServices {
  readonly services: readonly Service[];
  /** True if a service declares HTTP at the port. */
  readonly declaresHttp: boolean;
  /** True if a service declares gRPC-Web at the port: requests with it are translated to gRPC. */
  readonly grpcWeb?: boolean;
}

/**
 * The listener of a port for services without single addresses. TLS services are distinguished by
 * server name, others by address range; of those without either the first is served. Where
 * the listener is bound to its own port, addresses do not distinguish destinations. HTTP is detected by
 * the first bytes of a connection, if a service declares HTTP or does not declare a protocol.
 */
export function sharedListener(
  read: Read,
  context: Context,
  scope: ListenerScope,
  { services, declaresHttp, grpcWeb }: SharedServices,
): Resource[] {
  const { variant } = scope;
  // The decisions about chains are about the listener, which gets its name last.
  const { log, release } = holdDecisions(read);
  const { chains, http, others } = sharedChains(log, context, scope, services);
  for (const { source } of others) {
    read.decide?.({
      group: "to",
      source: "built-in",
      value: "the first service without an address",
      passedOver: [{ source: "object", object: source, why: "it is not the first" }],
    });
  }
  if (chains.length === 0 && !http && !declaresHttp) return [];
  const binding = scope.bind !== undefined ? { bind: scope.bind } : {
    ...wildcard(variant),
    fallthroughCluster: passthroughFor(read, context, variant, scope.sidecar),
  };
  const listener = listenerAt(read, context, scope, {
    binding,
    chains,
    http: http || declaresHttp,
    ...(grpcWeb === true ? { protocol: "GRPC-Web" } : {}),
  });
  release(listener.name);
  return [listener];
}

/** The chains of a shared listener. */
interface SharedChains {
  readonly chains: readonly TcpChain[];
  /** True if a service without a declared protocol may carry HTTP. */
  readonly http: boolean;
  /** Services that nothing distinguishes from the one that is served. */
  readonly others: readonly Service[];
}

function sharedChains(
  read: Read,
  context: Context,
  scope: ListenerScope,
  services: readonly Service[],
): SharedChains {
  const { port, variant, httpRoutes } = scope;
  const source = sourceOf(scope);
  const bound = variant.bound || scope.bind !== undefined;
  const chains: TcpChain[] = [];
  const others: Service[] = [];
  let http = false;
  let open = false;
  for (const service of services) {
    const protocol = protocolAt(service, scope) ?? "TCP";
    const ranges = rangesOf(read, context, scope, { service, bound });
    if (ranges === undefined) continue;
    const inside = read.within(service.host);
    if (isTls(protocol)) {
      const tls = { service, port, ranges, alone: false };
      chains.push(...tlsDestinations(inside, context, source, tls));
      continue;
    }
    const detected = protocol === "Unsupported" && httpRoutes !== undefined;
    http ||= detected && ranges.length === 0;
    if (ranges.length === 0 && open) {
      others.push(service);
      continue;
    }
    open ||= ranges.length === 0;
    const routed = detected && ranges.length > 0 ? { httpRoutes } : {};
    const tcp = tcpDestinations(inside, context, source, { service, port, ranges });
    chains.push(...tcp.map((chain) => ({ ...chain, ...routed })));
  }
  return { chains, http, others };
}

/**
 * The address ranges of a service in a shared listener; empty: all addresses. `undefined` where its
 * connections have separate listeners.
 */
function rangesOf(
  read: Read,
  context: Context,
  { variant }: ListenerScope,
  { service, bound }: {
    readonly service: Service;
    /** True if addresses do not distinguish destinations. */
    readonly bound: boolean;
  },
): readonly string[] | undefined {
  // Captured connections to instances of headless services have separate listeners.
  if (!bound && service.headless === true) return undefined;
  const addresses = addressesOf(read, context, service, variant);
  if (bound) return [];
  const ranges = addresses.filter((a) => isRange(a) && isOfFamily(variant.family, a));
  return addresses.length > 0 && ranges.length === 0 ? undefined : ranges;
}

/**
 * A listener for each single address of a host, or for each instance of a headless one. Bound
 * listeners have none: the addresses are not the proxy's. Detected HTTP has a route table of its
 * own: whoever dials the address means this host, whatever the requests say.
 */
export function addressListeners(
  read: Read,
  context: Context,
  scope: ListenerScope,
  host: string,
): Resource[] {
  const { namespace, port, variant } = scope;
  const source = sourceOf(scope);
  const service = followService(read, context, namespace, host);
  const protocol = service && protocolAt(service, scope);
  if (variant.bound || service === undefined || protocol === undefined) return [];
  if (service.alias !== undefined) return [];
  const addresses = listenedAddresses(read, context, { namespace, service, port }, variant);
  const [first] = addresses;
  if (first === undefined) return [];
  const tls = isTls(protocol);
  const chains = tls
    ? tlsDestinations(read, context, source, { service, port, ranges: [], alone: true })
    : tcpDestinations(read, context, source, { service, port, ranges: [] });
  const http = protocol === "Unsupported" && scope.httpRoutes !== undefined;
  const parts = (bind: string): ListenerParts => ({
    binding: {
      bind,
      // Rules by server name may leave out some names.
      ...tls && { fallthroughCluster: passthroughFor(read, context, variant, scope.sidecar) },
    },
    chains,
    http,
  });
  const at = { ...scope, httpRoutes: http ? detectedTable(host, port) : undefined };
  if (service.headless !== true) {
    const listener = (address: string) => [listenerAt(read, context, at, parts(address))];
    return flatMapInParts(read, addresses, listener);
  }
  // Instances come and go: their listeners differ in nothing but the address.
  const listener = listenerMessage(read, context, at, { ...parts(first), statName: host });
  return [
    ...inParts(
      read,
      addresses,
      (some) => listenersAt(listener, some, port).map(({ name, bytes }) => resourceOf(name, bytes)),
    ),
  ].flat();
}

/** The parts of a listener that differ between listeners of one scope. */
interface ListenerParts {
  readonly binding: Pick<OutboundTcpInput, "bind" | "extraBinds" | "fallthroughCluster">;
  readonly chains: readonly TcpChain[];
  readonly http: boolean;
  /** Protocol of the HTTP; default: HTTP. */
  readonly protocol?: Protocol;
  /** Name in statistics instead of the address. */
  readonly statName?: string;
}

function listenerAt(
  read: Read,
  context: Context,
  scope: ListenerScope,
  parts: ListenerParts,
): Resource {
  const listener = listenerMessage(read, context, scope, parts);
  return encodeInParts(read, listener.name, ListenerSchema, listener);
}

function listenerMessage(
  read: Read,
  context: Context,
  { port, variant, httpRoutes }: ListenerScope,
  { binding, chains, http, protocol, statName }: ListenerParts,
): Listener {
  const common = {
    ...binding,
    port,
    bindToPort: variant.bound,
    protocol,
    statName,
    manager: managerDefaults(read, context, variant),
  };
  const routeName = http ? httpRoutes : undefined;
  if (routeName !== undefined) {
    read.decide?.({ group: "route table", source: "built-in", value: routeName });
  }
  return chains.length === 0 && routeName !== undefined
    ? outboundHttpListener({ ...common, routeName })
    : outboundTcpListener({ ...common, chains, httpRoutes: routeName });
}
