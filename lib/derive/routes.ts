/**
 * Which VirtualService routes a host, seen from a namespace.
 *
 * @module
 */
import type { Derived, Graph } from "../graph/mod.ts";
import { deriveDelegates } from "./delegates.ts";
import { coveringPatterns } from "./hosts.ts";
import { byAge } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import type { Tables } from "./tables.ts";
import { deriveTelling, fromObject, type PassedOver, whyLater } from "./tell.ts";
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
  /** Key of a VirtualService → its specification, with the rules of its delegates in place. */
  readonly spec: Derived<VirtualService | undefined>;
}

/** Creates the tables. */
export function deriveRoutes(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
  domain: string,
): Routes {
  const visibleRow = (
    row: ConfigObject<VirtualService> | undefined,
    namespace: string,
  ): row is ConfigObject<VirtualService> =>
    row !== undefined &&
    visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), namespace);

  const meshRoute = deriveTelling<string>(graph, "route.mesh", (read, key, tell) => {
    const bar = key.indexOf("|");
    const namespace = key.slice(0, bar);
    const host = key.slice(bar + 1);
    let won: ConfigObject<VirtualService> | undefined;
    const passedOver: PassedOver[] = [];
    for (const pattern of [host, ...coveringPatterns(host)]) {
      const named = read.members(indexes.meshRoutesByHost, pattern)
        .map((k) => read.get(tables.virtualServices, k));
      const rows = named.filter((row) => visibleRow(row, namespace)).sort(byAge);
      const best = won ?? rows[0];
      if (best !== undefined && tell === undefined) return objectKey(best.meta);
      for (const row of named) {
        if (row === undefined || row === best) continue;
        const why = !visibleRow(row, namespace)
          ? `it is not exported to ${namespace === "" ? "everybody" : `namespace ${namespace}`}`
          : won === undefined
          ? whyLater(row, best!)
          : `its host ${pattern} is less specific`;
        passedOver.push({ ...fromObject(row, "spec.hosts"), why });
      }
      won = best;
    }
    if (won !== undefined) {
      tell?.({ group: "routes", ...fromObject(won, "spec.hosts"), value: host, passedOver });
    } else if (passedOver.length > 0) {
      tell?.({ group: "routes", source: "built-in", value: "to the service", passedOver });
    }
    return won === undefined ? "" : objectKey(won.meta);
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
  return { meshRoute, gatewayRoutes, spec: deriveDelegates(graph, tables, domain) };
}
