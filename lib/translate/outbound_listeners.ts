/**
 * Outbound listeners, by the member that needs them: `port/PORT`, `vip/PORT/HOST`
 * (see the index `listenersSeenBy`).
 *
 * @module
 */
import { isRange } from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import { mayBeTcp } from "../model/mod.ts";
import { type Context, pickService, splitKey } from "./context.ts";
import { parseFlavour } from "./flavour.ts";
import { sameResources } from "./resource.ts";
import { addressListeners, sharedListener, tcpServices } from "./tcp_listeners.ts";

/** Creates the table: `flavour|NS|member`. */
export function deriveOutboundListeners(context: Context): Derived<readonly Resource[]> {
  return context.mesh.graph.derive<readonly Resource[]>("lds", (read, key) => {
    const [flavour = "", namespace = "", member = ""] = splitKey(key, 3);
    const [kind = "", portText = "", host = ""] = member.split("/");
    const port = Number(portText);
    const place = {
      flavour: parseFlavour(flavour),
      namespace,
      port,
      sidecar: "",
      httpRoutes: `${port}`,
    };
    if (kind === "vip") return addressListeners(read, context, place, host);
    const hosts = tcpHosts(read, context, namespace, port);
    const services = tcpServices(read, context, namespace, port, hosts);
    return sharedListener(read, context, place, services, hasHttp(read, context, namespace, port));
  }, { equal: sameResources });
}

/**
 * Creates the table: NS → members of which the namespace may see another version
 * than everybody: those of what it sees privately, and the TCP ports of hosts
 * for which something else applies there.
 */
export function deriveOverlayListeners(context: Context): Derived<readonly string[]> {
  const { mesh } = context;
  return mesh.graph.derive<readonly string[]>("lds.overlayMembers", (read, namespace) => {
    const members = new Set(read.members(mesh.indexes.listenersSeenBy, namespace));
    for (const host of read.get(mesh.scopes.overlayHosts, namespace)) {
      // What everybody sees may be hidden here, so its ports count too.
      for (const seenBy of [namespace, ""]) {
        const service = pickService(read, context, seenBy, host);
        for (const port of service?.ports ?? []) {
          if (!mayBeTcp(port.protocol)) continue;
          members.add(`port/${port.number}`);
          if (service!.addresses.some((a) => !isRange(a))) {
            members.add(`vip/${port.number}/${host}`);
          }
        }
      }
    }
    return [...members].sort();
  });
}

/** Whether the namespace sees a service that declares HTTP at a port. */
function hasHttp(read: Read, { mesh }: Context, namespace: string, port: number): boolean {
  return read.any(mesh.indexes.declaredHttp, `|${port}`) ||
    (namespace !== "" && read.any(mesh.indexes.declaredHttp, `${namespace}|${port}`));
}

/** Hosts that the namespace may see a TCP port of a number of. */
function tcpHosts(
  read: Read,
  { mesh: { indexes } }: Context,
  namespace: string,
  port: number,
): Set<string> {
  const hosts = new Set(read.members(indexes.tcpHosts, `|${port}`));
  if (namespace === "") return hosts;
  for (const host of read.members(indexes.tcpHosts, `${namespace}|${port}`)) hosts.add(host);
  return hosts;
}
