/**
 * Outbound listeners: those that services of a port share, and those of single
 * addresses.
 *
 * @module
 */
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { held, isRange, type Tell, within } from "../../derive/mod.ts";
import {
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  type TcpChain,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { isTls, mayBeTcp, type Protocol, type Service } from "../../model/mod.ts";
import {
  addressesOf,
  type Context,
  type Flavour,
  isOfFamily,
  listenedAddresses,
  pickService,
  wildcard,
} from "../context/mod.ts";
import { tcpDestinations, tlsDestinations } from "../destinations/mod.ts";
import { encodeResource } from "../resources/mod.ts";
import { fallthroughCluster, managerDefaults } from "../settings/mod.ts";

/** Where a listener is, and for whom. */
export interface TcpPlace {
  readonly flavour: Flavour;
  readonly namespace: string;
  readonly port: number;
  /** Of the callers; rules for certain labels are left out without them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Keys of the DestinationRules that select the callers, oldest first. */
  readonly rules?: readonly string[];
  /** Key of the Sidecar that shapes it; `""` for none. */
  readonly sidecar: string;
  /** Address that a Sidecar asks for. */
  readonly bind?: string;
  /** Route table for HTTP that is found; `undefined`: a Sidecar says that there is none. */
  readonly httpRoutes?: string;
}

/** Those of some hosts that have a port of a number that may carry TCP, oldest first, then by host. */
export function tcpServices(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
  hosts: Iterable<string>,
): Service[] {
  const age = (s: Service): number => s.creationTime || Number.MAX_SAFE_INTEGER;
  const services: Service[] = [];
  for (const host of hosts) {
    const service = pickService(read, context, namespace, host);
    if (service !== undefined && protocolAt(service, port) !== undefined) services.push(service);
  }
  return services.sort((a, b) => age(a) - age(b) || (a.host < b.host ? -1 : 1));
}

/** The protocol of a service's port; `undefined` when it carries no TCP. */
function protocolAt(service: Service, port: number): Protocol | undefined {
  return service.ports.find((p) => p.number === port && mayBeTcp(p.protocol))?.protocol;
}

/**
 * The listener of a port for services that have no single address. TLS services
 * are told apart by server name, others by address range; of those without
 * either the first is served. Where the listener is bound, addresses do not tell
 * destinations apart. HTTP is found by the connections' first bytes, if a
 * service declares it or one declares nothing.
 *
 * @param declared whether a service declares HTTP at the port
 */
export function sharedListener(
  read: Read,
  context: Context,
  place: TcpPlace,
  services: readonly Service[],
  declared: boolean,
  tell?: Tell,
): Resource[] {
  const { namespace, port, flavour, httpRoutes } = place;
  const source = { namespace, labels: place.labels ?? {}, rules: place.rules };
  const alone = flavour.bound || place.bind !== undefined;
  const chains: TcpChain[] = [];
  const destinations = held(tell);
  let http = declared;
  let open = false;
  for (const service of services) {
    const protocol = protocolAt(service, port) ?? "TCP";
    // Captured connections to its instances have listeners of their own.
    if (!alone && service.headless === true && protocol !== "Unsupported") continue;
    const addresses = addressesOf(read, context, service, flavour);
    const ranges = alone
      ? []
      : addresses.filter((a) => isRange(a) && isOfFamily(flavour.family, a));
    if (!alone && addresses.length > 0 && ranges.length === 0) continue;
    const inside = within(destinations.tell, service.host);
    if (isTls(protocol)) {
      chains.push(
        ...tlsDestinations(read, context, source, service, port, ranges, false, inside),
      );
      continue;
    }
    const sniffed = protocol === "Unsupported" && httpRoutes !== undefined;
    http ||= sniffed && ranges.length === 0;
    if (ranges.length === 0 && open) {
      tell?.({
        group: "to",
        source: "built-in",
        value: "the first service without an address",
        passedOver: [{ source: "object", object: service.source, why: "it is not the first" }],
      });
      continue;
    }
    open ||= ranges.length === 0;
    const found = sniffed && ranges.length > 0 ? { httpRoutes } : {};
    chains.push(
      ...tcpDestinations(read, context, source, service, port, ranges, inside)
        .map((chain) => ({ ...chain, ...found })),
    );
  }
  if (chains.length === 0 && !http) return [];
  const binding = place.bind !== undefined ? { bind: place.bind } : {
    ...wildcard(flavour),
    fallthroughCluster: fallthroughCluster(read, context, flavour, place.sidecar, tell),
  };
  const listener = listenerAt(read, context, place, binding, chains, http, tell);
  destinations.of(listener.name);
  return [listener];
}

/** One listener for each single address of a host, or for each instance of a headless one. Bound ones cannot have it: it is not the proxy's. */
export function addressListeners(
  read: Read,
  context: Context,
  place: TcpPlace,
  host: string,
  tell?: Tell,
): Resource[] {
  const { namespace, port, httpRoutes } = place;
  const source = { namespace, labels: place.labels ?? {}, rules: place.rules };
  const service = pickService(read, context, namespace, host, tell);
  const protocol = service && protocolAt(service, port);
  if (place.flavour.bound || service === undefined || protocol === undefined) return [];
  const chains = isTls(protocol)
    ? tlsDestinations(read, context, source, service, port, [], true, tell)
    : tcpDestinations(read, context, source, service, port, [], tell);
  const http = protocol === "Unsupported" && httpRoutes !== undefined;
  if (service.headless === true && protocol === "Unsupported") return [];
  return listenedAddresses(read, context, { namespace, service, port }, place.flavour)
    .map((address) => listenerAt(read, context, place, { bind: address }, chains, http, tell));
}

function listenerAt(
  read: Read,
  context: Context,
  place: TcpPlace,
  binding: Pick<OutboundTcpInput, "bind" | "extraBinds" | "fallthroughCluster">,
  chains: readonly TcpChain[],
  http: boolean,
  tell: Tell | undefined,
): Resource {
  const { port, flavour, httpRoutes } = place;
  const common = {
    ...binding,
    port,
    bindToPort: flavour.bound,
    manager: managerDefaults(read, context, flavour, tell),
  };
  const routeName = http ? httpRoutes : undefined;
  if (routeName !== undefined) {
    tell?.({ group: "route table", source: "built-in", value: routeName });
  }
  const listener = chains.length === 0 && routeName !== undefined
    ? outboundHttpListener({ ...common, routeName })
    : outboundTcpListener({ ...common, chains, httpRoutes: routeName });
  return encodeResource(listener.name, ListenerSchema, listener);
}
