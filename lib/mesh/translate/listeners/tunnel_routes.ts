/**
 * The route table of tunnels that end at sidecars, for meshes with tunnels between networks: those have the host of
 * a service as authority.
 *
 * @module
 */
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  CONNECT_TERMINATE,
  INTO_PROXY,
  MAIN_INTERNAL,
  type TunnelRoute,
  tunnelRouteTable,
} from "../../envoy/mod.ts";
import { type Collection, text } from "../../graph/mod.ts";
import { type ProxyClass, serviceKeys } from "../../model/mod.ts";
import { endsInner } from "../context/mod.ts";
import { collection, encodeResource, resourceTable, type RouteTable } from "../resources/mod.ts";
import type { Context } from "./features.ts";

/** Creates the table: key of the class of a sidecar → its routes of tunnels. */
export function deriveInnerRoutes(context: Context): RouteTable {
  return resourceTable(context.mesh.graph, "rds.innerTunnels", text, (read, key) => {
    const table = tunnelRouteTable(routesOf(read.get(context.classes, key)));
    return [encodeResource(CONNECT_TERMINATE, RouteConfigurationSchema, table)];
  });
}

/** The host and port of each service of the workload stand for the workload's port behind it. */
function routesOf({ targets }: ProxyClass): TunnelRoute[] {
  const routes = new Map<string, TunnelRoute>();
  for (const { service, port, targetPort } of targets) {
    const authority = `${serviceKeys.decode(service).host}:${port}`;
    // The first service of a host counts, as it does for the protocol of the port.
    if (routes.has(authority)) continue;
    routes.set(authority, { authority, cluster: MAIN_INTERNAL, to: targetPort });
  }
  return [...routes.values(), INTO_PROXY];
}

/** The layer of a sidecar's routes of tunnels; none where it accepts no tunnels of other networks. */
export function innerRouteLayer(
  { context, innerRoutes }: { readonly context: Context; readonly innerRoutes: RouteTable },
  cls: ProxyClass,
): readonly Collection[] {
  if (!endsInner(context.features, cls)) return [];
  return [collection({ context }, `route/tunnels/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: innerRoutes,
  }))];
}
