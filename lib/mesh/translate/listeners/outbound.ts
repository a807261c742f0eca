/**
 * Outbound listeners, as namespaces without a Sidecar see them.
 *
 * @module
 */
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import {
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  listenersKeys,
  type PortKey,
  protocolOf,
  visibilityOf,
  visibleTo,
} from "../../derive/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { type ConfigObject, fromObject, isHttp, mayBeTcp } from "../../model/mod.ts";
import { findService, hasOwnListeners } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type ListenerTable, resourceTable, sortedKeys } from "../resources/mod.ts";
import { type ListenerKey, listenerKeys } from "./keys.ts";
import { addressListeners, type ListenerScope, sharedListener, tcpServices } from "./tcp.ts";

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
  const http = httpBucket(read, context, seen);
  if (http !== undefined) recordHttp(read, context, http);
  const { grpcWebHosts } = context.mesh.indexes;
  return sharedListener(read, context, scope, {
    services,
    declaresHttp: http !== undefined,
    grpcWeb: ["", namespace].some((ns) => read.any(grpcWebHosts, { namespace: ns, port })),
  });
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
    const { namespace, autoAddresses } = key;
    const members = new Map<string, ListenerMember>();
    const add = (member: ListenerMember): void => {
      members.set(listenerMembers.encode(member), member);
    };
    for (const member of read.members(mesh.indexes.listenersSeenBy, namespace)) add(member);
    for (const host of read.get(mesh.scopes.overlayHosts, namespace)) {
      // The namespace may override a host that all namespaces see, so both sets of ports are
      // included.
      for (const seenBy of [namespace, ""]) {
        for (const member of tcpMembers(read, context, seenBy, { host, autoAddresses })) {
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
  { host, autoAddresses }: { readonly host: string; readonly autoAddresses: boolean },
): ListenerMember[] {
  const service = findService(read, context, namespace, host);
  if (service === undefined) return [];
  const alone = hasOwnListeners(read, context, service, { autoAddresses, family: "dual" });
  return service.ports.filter(({ protocol }) => mayBeTcp(protocol)).flatMap(({ number: port }) =>
    alone ? [{ port, host: undefined }, { port, host }] : [{ port, host: undefined }]
  );
}

/** The number of ServiceEntries with HTTP at a port that are recorded: there may be thousands. */
const RECORDED = 20;

/**
 * Records the ServiceEntries that declare HTTP at a port: only those of the bucket that decides in
 * {@link httpBucket}, because the listener does not depend on others.
 */
function recordHttp(read: Read, { mesh }: Context, bucket: PortKey): void {
  if (read.decide === undefined) return;
  const { tables, indexes } = mesh;
  const declaring = [...read.members(indexes.httpHosts, bucket)].sort().flatMap((host) =>
    [...read.members(indexes.entriesByHost, host)]
      .map((key) => read.get(tables.serviceEntries, key))
      .filter((row) => row !== undefined && declaresHttp(row, bucket))
      .map((row) => ({ host, row: row! }))
  );
  for (const { host, row } of declaring.slice(0, RECORDED)) {
    read.decide({ group: "http", ...fromObject(row, "spec.ports"), value: host });
  }
  if (declaring.length > RECORDED) {
    const more = declaring.length - RECORDED;
    read.decide({ group: "http", source: "built-in", value: `and ${more} services more` });
  }
}

/** Reports if an entry that a namespace sees declares HTTP at a port. */
function declaresHttp({ meta, spec }: ConfigObject<ServiceEntry>, { namespace, port }: PortKey) {
  return visibleTo(visibilityOf(spec.exportTo, meta.namespace), namespace) &&
    spec.ports.some((p) => p.number === port && isHttp(protocolOf(p.protocol)));
}

/**
 * The bucket of `declaredHttp` that makes a port one with HTTP: that of everybody, else the
 * namespace's own; `undefined`: nothing that the namespace sees declares HTTP there.
 */
function httpBucket(read: Read, { mesh }: Context, own: PortKey): PortKey | undefined {
  const everybody = { namespace: "", port: own.port };
  return [everybody, own].find((bucket) => read.any(mesh.indexes.declaredHttp, bucket));
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
