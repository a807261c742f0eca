/**
 * Outbound listeners, by the member that needs them (see the index `listenersSeenBy`).
 *
 * @module
 */
import {
  deriveTelling,
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  listenersKeys,
  type Tell,
} from "../../derive/mod.ts";
import {
  type Derived,
  type KeyCodec,
  keyOf,
  type Read,
  type Resource,
  text,
} from "../../graph/mod.ts";
import { isHttp, mayBeTcp } from "../../model/mod.ts";
import { type Context, hasOwnListeners, parseFlavour, pickService } from "../context/mod.ts";
import { sameResources } from "../resources/mod.ts";
import { addressListeners, sharedListener, tcpServices } from "./tcp_listeners.ts";

/** The key of outbound listeners. */
export interface OutboundKey {
  /** As `flavourKey`. */
  readonly flavour: string;
  readonly namespace: string;
  readonly member: ListenerMember;
}

/** The codec of {@link OutboundKey}: `flavour|namespace|port|host`. */
export const outboundKeys: KeyCodec<OutboundKey> = keyOf<OutboundKey>({
  flavour: text,
  namespace: text,
  member: listenerMembers,
});

/** Creates the table; keys are texts of {@link outboundKeys}. */
export function deriveOutboundListeners(context: Context): Derived<readonly Resource[]> {
  const { graph } = context.mesh;
  return deriveTelling<readonly Resource[]>(graph, "lds", (read, key, tell) => {
    return outboundListener(read, context, outboundKeys.decode(key), tell);
  }, { equal: sameResources });
}

/** What an outbound listener is for, and for whom. */
export interface OutboundMember extends OutboundKey {
  /** Of the callers; rules for certain labels are left out without them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Keys of the DestinationRules that select the callers, oldest first. */
  readonly rules?: readonly string[];
}

/** The listeners of a member. */
export function outboundListener(
  read: Read,
  context: Context,
  { flavour, namespace, member, labels, rules }: OutboundMember,
  tell: Tell | undefined,
): Resource[] {
  const { port, host } = member;
  const place = {
    flavour: parseFlavour(flavour),
    namespace,
    port,
    labels,
    rules,
    sidecar: "",
    httpRoutes: `${port}`,
  };
  if (host !== undefined) return addressListeners(read, context, place, host, tell);
  const hosts = tcpHosts(read, context, namespace, port);
  const services = tcpServices(read, context, namespace, port, hosts);
  const http = hasHttp(read, context, namespace, port);
  if (http) tellDeclaring(read, context, namespace, port, tell);
  return sharedListener(read, context, place, services, http, tell);
}

/**
 * Creates the table: members of which the namespace may see another version
 * than everybody: those of what it sees privately, and the TCP ports of hosts
 * for which something else applies there.
 */
export function deriveOverlayListeners(
  context: Context,
): Derived<readonly ListenerMember[], ListenersKey> {
  const { mesh } = context;
  return mesh.graph.derive("lds.overlayMembers", listenersKeys, (read, { given, namespace }) => {
    const place = { given, family: "dual" } as const;
    const key = { given: false, namespace };
    const members = new Set(
      read.members(mesh.indexes.listenersSeenBy, key).map((one) => listenerMembers.encode(one)),
    );
    const add = (member: ListenerMember) => members.add(listenerMembers.encode(member));
    for (const host of read.get(mesh.scopes.overlayHosts, namespace)) {
      // What everybody sees may be hidden here, so its ports count too.
      for (const seenBy of [namespace, ""]) {
        const service = pickService(read, context, seenBy, host);
        if (service === undefined) continue;
        const alone = hasOwnListeners(read, context, service, place);
        for (const port of service.ports) {
          if (!mayBeTcp(port.protocol)) continue;
          add({ port: port.number, host: undefined });
          if (alone) add({ port: port.number, host });
        }
      }
    }
    return [...members].sort().map((one) => listenerMembers.decode(one));
  });
}

/** How many of the services that declare HTTP at a port are named: there may be thousands. */
const NAMED = 20;

/** Says which services have HTTP at a port. */
function tellDeclaring(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
  tell: Tell | undefined,
): void {
  if (tell === undefined) return;
  const { httpHosts } = context.mesh.indexes;
  const hosts = new Set([
    ...read.members(httpHosts, { namespace: "", port }),
    ...read.members(httpHosts, { namespace, port }),
  ]);
  const services = [...hosts].sort().map((host) => pickService(read, context, namespace, host))
    .filter((s) => s?.ports.some((p) => p.number === port && isHttp(p.protocol)))
    .filter((s) => s !== undefined);
  for (const service of services.slice(0, NAMED)) {
    tell({
      group: "http",
      source: "object",
      object: service.source,
      field: "spec.ports",
      value: service.host,
    });
  }
  if (services.length > NAMED) {
    tell({
      group: "http",
      source: "built-in",
      value: `and ${services.length - NAMED} services more`,
    });
  }
}

/** Whether the namespace sees a service that declares HTTP at a port. */
function hasHttp(read: Read, { mesh }: Context, namespace: string, port: number): boolean {
  return read.any(mesh.indexes.declaredHttp, { namespace: "", port }) ||
    (namespace !== "" && read.any(mesh.indexes.declaredHttp, { namespace, port }));
}

/** Hosts that the namespace may see a TCP port of a number of. */
function tcpHosts(
  read: Read,
  { mesh: { indexes } }: Context,
  namespace: string,
  port: number,
): Set<string> {
  const hosts = new Set(read.members(indexes.tcpHosts, { namespace: "", port }));
  if (namespace === "") return hosts;
  for (const host of read.members(indexes.tcpHosts, { namespace, port })) hosts.add(host);
  return hosts;
}
