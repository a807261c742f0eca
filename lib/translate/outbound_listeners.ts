/**
 * Outbound listeners, by the member that needs them: `http/PORT`, `tcp/PORT`,
 * `vip/PORT/HOST` (see the index `listenersSeenBy`).
 *
 * @module
 */
import { isRange } from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import { isHttp, type Service } from "../model/mod.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { type Context, pickService, splitKey } from "./context.ts";
import { fallthroughCluster, managerDefaults } from "./defaults.ts";
import { type Flavour, parseFlavour, wildcard } from "./flavour.ts";
import {
  outboundHttpListener,
  type OutboundTcpInput,
  outboundTcpListener,
  type TcpChain,
} from "./listener/mod.ts";
import { encodeResource, sameResources } from "./resource.ts";
import { tcpDestinations } from "./tcp_routes.ts";

/** Creates the table: `flavour|NS|member`. */
export function deriveOutboundListeners(context: Context): Derived<readonly Resource[]> {
  return context.mesh.graph.derive<readonly Resource[]>("lds", (read, key) => {
    const [flavour = "", namespace = "", member = ""] = splitKey(key, 3);
    const [kind = "", port = "", host = ""] = member.split("/");
    const place = { flavour: parseFlavour(flavour), namespace, port: Number(port) };
    if (kind === "http") return httpListener(read, context, place);
    if (kind === "tcp") return sharedTcpListener(read, context, place);
    return addressListeners(read, context, place, host);
  }, { equal: sameResources });
}

interface Place {
  readonly flavour: Flavour;
  readonly namespace: string;
  readonly port: number;
}

function httpListener(read: Read, context: Context, place: Place): Resource[] {
  if (!hasHttp(read, context, place.namespace, place.port)) return [];
  const listener = outboundHttpListener({
    ...wildcard(place.flavour),
    port: place.port,
    bindToPort: place.flavour.bound,
    fallthroughCluster: fallthroughCluster(read, context, place.flavour, ""),
    routeName: `${place.port}`,
    manager: managerDefaults(read, context, place.flavour),
  });
  return [encodeResource(listener.name, ListenerSchema, listener)];
}

/** Whether the namespace sees an HTTP service at a port. */
function hasHttp(read: Read, { mesh }: Context, namespace: string, port: number): boolean {
  return read.any(mesh.indexes.httpHosts, `|${port}`) ||
    (namespace !== "" && read.any(mesh.indexes.httpHosts, `${namespace}|${port}`));
}

/**
 * The listener of a port for TCP services without an address of their own:
 * address ranges are told apart, of the others the first by age is served.
 * Where HTTP services share the port, their listener has it.
 */
function sharedTcpListener(read: Read, context: Context, place: Place): Resource[] {
  const { namespace, port, flavour } = place;
  if (hasHttp(read, context, namespace, port)) return [];
  const services = tcpServices(read, context, namespace, port)
    .filter((s) => flavour.bound || s.addresses.length === 0 || s.addresses.some(isRange));
  const chains: TcpChain[] = [];
  let open = false;
  for (const service of services) {
    const ranges = flavour.bound ? [] : service.addresses.filter(isRange);
    if (ranges.length === 0 && open) continue;
    open ||= ranges.length === 0;
    chains.push(
      ...tcpDestinations(read, context, namespace, service, port, ranges),
    );
  }
  if (chains.length === 0) return [];
  return [tcpResource(read, context, place, {
    ...wildcard(flavour),
    fallthroughCluster: fallthroughCluster(read, context, flavour, ""),
  }, chains)];
}

/** The TCP services of a port that a namespace sees, oldest first, then by host. */
function tcpServices(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
): Service[] {
  const { indexes } = context.mesh;
  const hosts = new Set(read.members(indexes.tcpHosts, `|${port}`));
  if (namespace !== "") {
    for (const h of read.members(indexes.tcpHosts, `${namespace}|${port}`)) hosts.add(h);
  }
  const age = (s: Service): number => s.creationTime || Number.MAX_SAFE_INTEGER;
  return [...hosts]
    .map((host) => pickService(read, context, namespace, host))
    .filter((s) => s !== undefined && carriesTcp(s, port))
    .map((s) => s as Service)
    .sort((a, b) => age(a) - age(b) || (a.host < b.host ? -1 : 1));
}

/** Whether a service's port is plain TCP to us. */
function carriesTcp(service: Service, port: number): boolean {
  return service.ports.some((p) =>
    p.number === port && !isHttp(p.protocol) && p.protocol !== "UDP"
  );
}

/** One listener for each single address of a host. */
function addressListeners(read: Read, context: Context, place: Place, host: string): Resource[] {
  if (place.flavour.bound) return [];
  const service = pickService(read, context, place.namespace, host);
  if (service === undefined || !carriesTcp(service, place.port)) return [];
  const chains = tcpDestinations(read, context, place.namespace, service, place.port, []);
  return service.addresses
    .filter((address) => !isRange(address))
    .filter((address) => read.members(context.mesh.indexes.hostsByVip, address)[0] === host)
    .map((address) => tcpResource(read, context, place, { bind: address }, chains));
}

function tcpResource(
  read: Read,
  context: Context,
  place: Place,
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
