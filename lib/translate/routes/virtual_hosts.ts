/**
 * Virtual hosts of outbound route tables: one cell per port and host, as a
 * namespace sees it.
 *
 * @module
 */
import { deriveTelling, within } from "../../derive/mod.ts";
import { domainsFor, hostPort } from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { mayBeHttp } from "../../model/mod.ts";
import { type Context, pickService } from "../context/mod.ts";
import { namesOf, virtualHost } from "../destinations/mod.ts";
import { sameResources, splitKey } from "../resources/mod.ts";
import { routedAlike } from "./alike.ts";

/**
 * Creates the table: `NS|port|host` → its virtual host, if the host has an HTTP
 * port of that number, or a VirtualService and no service at port 80. Port 0 stands for
 * the first that the host has.
 */
export function deriveVirtualHosts(context: Context): Derived<readonly Resource[]> {
  const { graph } = context.mesh;
  const table: Derived<readonly Resource[]> = deriveTelling(graph, "vhost", (read, key, tell) => {
    const [namespace = "", portText = "", host = ""] = splitKey(key, 3);
    const port = Number(portText) || onlyPort(read, context, namespace, host);
    if (
      tell === undefined && namespace !== "" &&
      routedAlike(read, context, namespace, host) &&
      namedAlike(read, context, namespace, port, host)
    ) {
      return read.get(table, `|${portText}|${host}`);
    }
    const inside = within(tell, hostPort(host, port));
    const resource = virtualHost(read, context, namespace, port, host, inside);
    return resource === undefined ? [] : [resource];
  }, { equal: sameResources });
  return table;
}

/** Whether a host, which is one service for both, has the names in a namespace that it has for everybody. */
function namedAlike(
  read: Read,
  context: Context,
  namespace: string,
  port: number,
  host: string,
): boolean {
  const service = pickService(read, context, "", host);
  const names = (seenBy: string): string =>
    String(domainsFor({ host, port, ...namesOf(read, context, seenBy, host, service) }));
  return names(namespace) === names("");
}

/** The port of a host that tables of Unix sockets serve, which have none: its first for HTTP. */
function onlyPort(read: Read, context: Context, namespace: string, host: string): number {
  const service = pickService(read, context, namespace, host);
  // A host that VirtualServices alone name is served at port 80.
  return service === undefined ? 80 : service.ports.find((p) => mayBeHttp(p.protocol))?.number ?? 0;
}
