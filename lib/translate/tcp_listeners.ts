/**
 * Outbound TCP listeners: those that services share, and those of single
 * addresses.
 *
 * @module
 */
import { isRange } from "../derive/mod.ts";
import type { Read, Resource } from "../graph/mod.ts";
import { isHttp, type Service } from "../model/mod.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { type Context, ownsAddress, pickService } from "./context.ts";
import { fallthroughCluster, managerDefaults } from "./defaults.ts";
import { type Flavour, wildcard } from "./flavour.ts";
import { type OutboundTcpInput, outboundTcpListener, type TcpChain } from "./listener/mod.ts";
import { encodeResource } from "./resource.ts";
import { tcpDestinations } from "./tcp_routes.ts";

/** Where a listener is, and for whom. */
export interface TcpPlace {
  readonly flavour: Flavour;
  readonly namespace: string;
  readonly port: number;
  /** Key of the Sidecar that shapes it; `""` for none. */
  readonly sidecar: string;
  /** Address that a Sidecar asks for. */
  readonly bind?: string;
}

/** Those of some hosts that have a TCP port of a number, oldest first, then by host. */
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
    if (service !== undefined && carriesTcp(service, port)) services.push(service);
  }
  return services.sort((a, b) => age(a) - age(b) || (a.host < b.host ? -1 : 1));
}

/** Whether a service's port is plain TCP to us. */
function carriesTcp(service: Service, port: number): boolean {
  return service.ports.some((p) =>
    p.number === port && !isHttp(p.protocol) && p.protocol !== "UDP"
  );
}

/**
 * The listener of a port for TCP services that have no single address: address
 * ranges are told apart, of the others the first is served. Where the listener
 * is bound, nothing tells destinations apart.
 */
export function sharedTcpListener(
  read: Read,
  context: Context,
  place: TcpPlace,
  services: readonly Service[],
): Resource[] {
  const { namespace, port, flavour } = place;
  const alone = flavour.bound || place.bind !== undefined;
  const chains: TcpChain[] = [];
  let open = false;
  for (const service of services) {
    const ranges = alone ? [] : service.addresses.filter(isRange);
    const single = !alone && service.addresses.length > 0 && ranges.length === 0;
    if (single || (ranges.length === 0 && open)) continue;
    open ||= ranges.length === 0;
    chains.push(...tcpDestinations(read, context, namespace, service, port, ranges));
  }
  if (chains.length === 0) return [];
  const binding = place.bind !== undefined ? { bind: place.bind } : {
    ...wildcard(flavour),
    fallthroughCluster: fallthroughCluster(read, context, flavour, place.sidecar),
  };
  return [tcpResource(read, context, place, binding, chains)];
}

/** One listener for each single address of a host. Bound ones cannot have it: it is not the proxy's. */
export function addressListeners(
  read: Read,
  context: Context,
  place: TcpPlace,
  host: string,
): Resource[] {
  const { namespace, port } = place;
  const service = pickService(read, context, namespace, host);
  if (place.flavour.bound || service === undefined || !carriesTcp(service, port)) return [];
  const chains = tcpDestinations(read, context, namespace, service, port, []);
  return service.addresses
    .filter((address) => !isRange(address) && ownsAddress(read, context, namespace, address, host))
    .map((address) => tcpResource(read, context, place, { bind: address }, chains));
}

function tcpResource(
  read: Read,
  context: Context,
  place: TcpPlace,
  binding: Pick<OutboundTcpInput, "bind" | "extraBinds" | "fallthroughCluster">,
  chains: readonly TcpChain[],
): Resource {
  const listener = outboundTcpListener({
    ...binding,
    port: place.port,
    bindToPort: place.flavour.bound,
    chains,
    manager: managerDefaults(read, context, place.flavour),
  });
  return encodeResource(listener.name, ListenerSchema, listener);
}
