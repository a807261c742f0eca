/**
 * VirtualServices: which one routes a host, seen from a namespace.
 *
 * @module
 */
import type { PassedOver } from "../../../kit/base/mod.ts";
import { type Derived, type KeyCodec, keyOf, list, type Read, text } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  coveringPatterns,
  fromObject,
  objectKey,
  objectRef,
  whyLater,
} from "../../model/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { deriveDelegates } from "./delegates.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { type HostKey, hostKeys, ownVisibility, visibleTo } from "../inputs/mod.ts";

/** Gateways as the proxies of a namespace see them. */
export interface GatewaysKey {
  readonly namespace: string;
  /** Row keys of Gateways. */
  readonly gateways: readonly string[];
}

const gatewaysKeys: KeyCodec<GatewaysKey> = keyOf<GatewaysKey>({
  namespace: text,
  gateways: list(text),
});

/** The derived tables about VirtualServices. */
export interface Routes {
  /**
   * Row key of the VirtualService that routes a host for sidecars of a namespace:
   * the most specific host wins, then the oldest. `""` for none.
   */
  readonly meshRoute: Derived<string, HostKey>;
  /**
   * Row keys of the VirtualServices bound to any of the Gateways and visible to the
   * namespace, oldest first.
   */
  readonly gatewayRoutes: Derived<readonly string[], GatewaysKey>;
  /** Row key of a VirtualService → its specification, with the rules of its delegates merged. */
  readonly spec: Derived<VirtualService | undefined>;
}

/** Creates the tables. */
export function deriveRoutes(inputs: MeshInputs): Routes {
  const { graph, tables, indexes } = inputs;
  const meshRoute = graph.derive("route.mesh", hostKeys, (read, key): string => {
    const won = chooseRoute(read, inputs, key);
    return won === undefined ? "" : objectKey(won.meta);
  });
  const gatewayRoutes = graph.derive(
    "route.gateway",
    gatewaysKeys,
    (read, { namespace, gateways }): readonly string[] => {
      const keys = new Set(gateways.flatMap((g) => read.members(indexes.routesByGateway, g)));
      return [...keys]
        .flatMap((key) => {
          const row = read.get(tables.virtualServices, key);
          return row !== undefined && isVisible(row, namespace) ? [{ key, row }] : [];
        })
        .sort((a, b) => byAge(a.row, b.row))
        .map(({ key }) => key);
    },
  );
  return { meshRoute, gatewayRoutes, spec: deriveDelegates(inputs) };
}

function isVisible(row: ConfigObject<VirtualService>, namespace: string): boolean {
  return visibleTo(ownVisibility(row), namespace);
}

/** Those for clients of their namespace alone first, then the oldest first. */
function byPrecedence(a: ConfigObject, b: ConfigObject): number {
  return Number(b.consumer ?? false) - Number(a.consumer ?? false) || byAge(a, b);
}

function whyPreceded(row: ConfigObject, best: ConfigObject): string {
  if (!best.consumer || row.consumer) return whyLater(row, best);
  return `${objectRef(best)} is for clients of its namespace alone`;
}

/** The VirtualService of a host. While decisions are recorded, less specific hosts are searched too. */
function chooseRoute(
  read: Read,
  { tables, indexes }: MeshInputs,
  { namespace, host }: HostKey,
): ConfigObject<VirtualService> | undefined {
  let won: ConfigObject<VirtualService> | undefined;
  const passedOver: PassedOver[] = [];
  for (const pattern of [host, ...coveringPatterns(host)]) {
    const named = read.members(indexes.meshRoutesByHost, pattern)
      .map((key) => read.get(tables.virtualServices, key))
      .filter((row) => row !== undefined);
    const best = won ?? named.filter((row) => isVisible(row, namespace)).sort(byPrecedence)[0];
    if (best !== undefined && read.decide === undefined) return best;
    for (const row of named) {
      if (row === best) continue;
      const why = !isVisible(row, namespace)
        ? `it is not exported to ${namespace === "" ? "everybody" : `namespace ${namespace}`}`
        : won === undefined
        ? whyPreceded(row, best!)
        : `its host ${pattern} is less specific`;
      passedOver.push({ ...fromObject(row, "spec.hosts"), why });
    }
    won = best;
  }
  if (won !== undefined) {
    read.decide?.({ group: "routes", ...fromObject(won, "spec.hosts"), value: host, passedOver });
  } else if (passedOver.length > 0) {
    read.decide?.({ group: "routes", source: "built-in", value: "to the service", passedOver });
  }
  return won;
}
