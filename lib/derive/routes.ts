/**
 * Which VirtualService routes a host, seen from a namespace.
 *
 * @module
 */
import type { Derived, Graph } from "../graph/mod.ts";
import { coveringPatterns } from "./hosts.ts";
import { byAge } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import type { Tables } from "./tables.ts";
import { visibilityOf, visibleTo } from "./visibility.ts";
import type { ConfigObject } from "../model/mod.ts";
import { objectKey } from "../model/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";

/** The derived tables about VirtualServices. */
export interface Routes {
  /**
   * `NS|host` → key of the VirtualService that routes a host for sidecars of a
   * namespace: the most specific host wins, then the oldest. `""` for none.
   */
  readonly meshRoute: Derived<string>;
  /**
   * `NS|gateway1,gateway2` → keys of the VirtualServices bound to any of the
   * Gateways and visible to the proxy's namespace, oldest first.
   */
  readonly gatewayRoutes: Derived<readonly string[]>;
}

/** Creates the tables. */
export function deriveRoutes(graph: Graph, tables: Tables, indexes: Indexes): Routes {
  const visibleRow = (
    row: ConfigObject<VirtualService> | undefined,
    namespace: string,
  ): row is ConfigObject<VirtualService> =>
    row !== undefined &&
    visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), namespace);

  const meshRoute = graph.derive<string>("route.mesh", (read, key) => {
    const bar = key.indexOf("|");
    const namespace = key.slice(0, bar);
    const host = key.slice(bar + 1);
    for (const pattern of [host, ...coveringPatterns(host)]) {
      const rows = read.members(indexes.meshRoutesByHost, pattern)
        .map((k) => read.get(tables.virtualServices, k))
        .filter((row) => visibleRow(row, namespace))
        .sort(byAge);
      if (rows[0] !== undefined) return objectKey(rows[0].meta);
    }
    return "";
  });

  const gatewayRoutes = graph.derive<readonly string[]>("route.gateway", (read, key) => {
    const [namespace = "", gateways = ""] = key.split("|");
    const keys = new Set(
      gateways.split(",").flatMap((g) => read.members(indexes.routesByGateway, g)),
    );
    return [...keys]
      .map((k) => read.get(tables.virtualServices, k))
      .filter((row) => visibleRow(row, namespace))
      .sort(byAge)
      .map((row) => objectKey(row.meta));
  });
  return { meshRoute, gatewayRoutes };
}
