/**
 * Outbound listeners, as namespaces without a Sidecar see them.
 *
 * @module
 */
import {
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  listenersKeys,
  type PortKey,
} from "../../derive/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { isHttp, mayBeTcp } from "../../model/mod.ts";
import { type Context, findService, hasOwnListeners } from "../context/mod.ts";
import { type ListenerTable, resourceTable, sortedKeys } from "../resources/mod.ts";
import { type ListenerKey, listenerKeys } from "../tables/mod.ts";
import {
  addressListeners,
  type ListenerScope,
  sharedListener,
  tcpServices,
} from "./tcp_listeners.ts";

/** Creates the table of outbound listeners. */
export function deriveOutboundListeners(context: Context): ListenerTable<ListenerKey> {
  return resourceTable(
    context.mesh.graph,
    "lds",
    listenerKeys,
    (read, key) => outboundListeners(read, context, key),
  );
}

/** The listeners of a member, for all clients of a namespace, or for certain ones. */
export function outboundListeners(
  read: Read,
  context: Context,
  { variant, namespace, port, host }: ListenerKey,
  clients: Pick<ListenerScope, "labels" | "rules"> = {},
): readonly Resource[] {
  const scope = { variant, namespace, port, ...clients, sidecar: "", httpRoutes: `${port}` };
  if (host !== undefined) return addressListeners(read, context, scope, host);
  const seen = { namespace, port };
  const services = tcpServices(read, context, seen, tcpHosts(read, context, seen));
  const declaresHttp = hasHttp(read, context, seen);
  if (declaresHttp) recordHttp(read, context, seen);
  return sharedListener(read, context, scope, { services, declaresHttp });
}

/**
 * Creates the table of overlay members: those that the namespace may see differently from all
 * namespaces. These are the members of hosts that it sees privately, and the TCP ports of hosts
 * with rules of their own there.
 */
export function deriveOverlayListeners(
  context: Context,
): Derived<readonly ListenerMember[], ListenersKey> {
  const { mesh } = context;
  return mesh.graph.derive("lds.overlayMembers", listenersKeys, (read, key) => {
    const { namespace, given } = key;
    const members = new Map<string, ListenerMember>();
    const add = (member: ListenerMember): void => {
      members.set(listenerMembers.encode(member), member);
    };
    const own = { given: false, namespace };
    for (const member of read.members(mesh.indexes.listenersSeenBy, own)) add(member);
    for (const host of read.get(mesh.scopes.overlayHosts, namespace)) {
      // The namespace may override a host that all namespaces see, so both sets of ports are
      // included.
      for (const seenBy of [namespace, ""]) {
        for (const member of tcpMembers(read, context, seenBy, { host, given })) {
          add(member);
        }
      }
    }
    return sortedKeys(listenerMembers, [...members.values()]);
  });
}

/** The listeners of a host's TCP ports. */
export function tcpMembers(
  read: Read,
  context: Context,
  namespace: string,
  { host, given }: { readonly host: string; readonly given: boolean },
): ListenerMember[] {
  const service = findService(read, context, namespace, host);
  if (service === undefined) return [];
  const alone = hasOwnListeners(read, context, service, { autoAddresses: given, family: "dual" });
  return service.ports.filter(({ protocol }) => mayBeTcp(protocol)).flatMap(({ number: port }) =>
    alone ? [{ port, host: undefined }, { port, host }] : [{ port, host: undefined }]
  );
}

/** The number of services with HTTP at a port that are recorded: there may be thousands. */
const RECORDED = 20;

/** Records the services that declare HTTP at a port. */
function recordHttp(read: Read, context: Context, { namespace, port }: PortKey): void {
  if (read.decide === undefined) return;
  const { httpHosts } = context.mesh.indexes;
  const hosts = new Set([
    ...read.members(httpHosts, { namespace: "", port }),
    ...read.members(httpHosts, { namespace, port }),
  ]);
  const services = [...hosts].sort().map((host) => findService(read, context, namespace, host))
    .filter((s) => s?.ports.some((p) => p.number === port && isHttp(p.protocol)))
    .filter((s) => s !== undefined);
  for (const { source, host } of services.slice(0, RECORDED)) {
    read.decide({
      group: "http",
      source: "object",
      object: source,
      field: "spec.ports",
      value: host,
    });
  }
  if (services.length > RECORDED) {
    const more = services.length - RECORDED;
    read.decide({ group: "http", source: "built-in", value: `and ${more} services more` });
  }
}

/** Whether the namespace sees a service that declares HTTP at a port. */
function hasHttp(read: Read, { mesh }: Context, { namespace, port }: PortKey): boolean {
  return read.any(mesh.indexes.declaredHttp, { namespace: "", port }) ||
    (namespace !== "" && read.any(mesh.indexes.declaredHttp, { namespace, port }));
}

/** Hosts with a TCP port of a number that the namespace may see. */
function tcpHosts(
  read: Read,
  { mesh: { indexes } }: Context,
  { namespace, port }: PortKey,
): Set<string> {
  const hosts = new Set(read.members(indexes.tcpHosts, { namespace: "", port }));
  if (namespace === "") return hosts;
  for (const host of read.members(indexes.tcpHosts, { namespace, port })) hosts.add(host);
  return hosts;
}
