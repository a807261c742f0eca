/**
 * Virtual hosts of outbound route tables: one cell for each port of a host, as a namespace sees it.
 *
 * @module
 */
import { hostPort } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { mayBeHttp } from "../../model/mod.ts";
import { type Context, findService } from "../context/mod.ts";
import { virtualHost } from "../destinations/mod.ts";
import { resourceTable, type VirtualHostTable } from "../resources/mod.ts";
import { type VirtualHostKey, virtualHostKeys } from "./keys.ts";
import { hasSharedDomains, hasSharedRoutes } from "./shared_routes.ts";

/**
 * Creates the table. A host has a virtual host at its HTTP ports. A host of a VirtualService without a
 * service has one at port 80. Port 0 is the first HTTP port of the host.
 */
export function deriveVirtualHosts(context: Context): VirtualHostTable<VirtualHostKey> {
  const table: VirtualHostTable<VirtualHostKey> = resourceTable(
    context.mesh.graph,
    "vhost",
    virtualHostKeys,
    (read, key) => {
      const { namespace, host } = key;
      const port = key.port || firstPort(read, context, namespace, host);
      if (
        read.decide === undefined && namespace !== "" &&
        hasSharedRoutes(read, context, namespace, host) &&
        hasSharedDomains(read, context, { namespace, port, host })
      ) {
        return read.get(table, { ...key, namespace: "" });
      }
      const inside = read.within(hostPort(host, port));
      const resource = virtualHost(inside, context, { namespace }, { host, port });
      return resource === undefined ? [] : [resource];
    },
  );
  return table;
}

/** The first HTTP port of a host. Route tables of Unix sockets have no port, and serve this one. */
function firstPort(read: Read, context: Context, namespace: string, host: string): number {
  const service = findService(read, context, namespace, host);
  // Hosts that only VirtualServices name are served at port 80.
  return service === undefined ? 80 : service.ports.find((p) => mayBeHttp(p.protocol))?.number ?? 0;
}
