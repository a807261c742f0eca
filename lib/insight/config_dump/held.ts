import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, at, type Json, type JsonMap } from "./json.ts";

/** A resource of the daemon in a proxy, in the states that the proxy has it in. */
export interface Held {
  /** The version in use; `undefined`: none is. */
  readonly used: JsonMap | undefined;
  /** A version that was received and waits, for example for endpoints or routes. */
  readonly warming: JsonMap | undefined;
  /** A listener that was removed and still serves its open connections. */
  readonly draining: boolean;
  /** Why the proxy rejected the last update. */
  readonly rejected: string | undefined;
}

/** The clusters that a proxy has from its daemon. */
export function dynamicClusters({ sections }: Dump): ReadonlyMap<string, Held> {
  const section = asMap(sections.get("ClustersConfigDump"));
  return heldOf([
    ...asMaps(section.dynamicActiveClusters).map((one) => partOf(one.cluster, "used", one)),
    ...asMaps(section.dynamicWarmingClusters).map((one) => partOf(one.cluster, "warming", one)),
  ]);
}

/** The listeners that a proxy has from its daemon. */
export function dynamicListeners({ sections }: Dump): ReadonlyMap<string, Held> {
  const section = asMap(sections.get("ListenersConfigDump"));
  return heldOf(
    asMaps(section.dynamicListeners).flatMap((one): Part[] => {
      const active = at(one, "activeState", "listener");
      const warming = at(one, "warmingState", "listener");
      return [
        ...active === undefined ? [] : [partOf(active, "used", one)],
        ...warming === undefined ? [] : [partOf(warming, "warming", one)],
        ...one.drainingState === undefined ? [] : [{ name: asText(one.name), draining: true }],
        ...errorOf(asText(one.name), one),
      ];
    }),
  );
}

/** The route configurations that a proxy has from its daemon. */
export function dynamicRoutes({ sections }: Dump): ReadonlyMap<string, Held> {
  const section = asMap(sections.get("RoutesConfigDump"));
  return heldOf(
    asMaps(section.dynamicRouteConfigs).map((one) => partOf(one.routeConfig, "used", one)),
  );
}

type Part = Partial<Held> & { readonly name: string };

function partOf(resource: Json | undefined, state: "used" | "warming", entry: JsonMap): Part {
  const name = asText(asMap(resource).name);
  return { ...errorOf(name, entry)[0], name, [state]: asMap(resource) };
}

function errorOf(name: string, entry: JsonMap): Part[] {
  if (entry.errorState === undefined) return [];
  return [{ name, rejected: asText(at(entry, "errorState", "details")) || "without a reason" }];
}

function heldOf(parts: readonly Part[]): ReadonlyMap<string, Held> {
  const found = new Map<string, Held>();
  const none: Held = {
    used: undefined,
    warming: undefined,
    draining: false,
    rejected: undefined,
  };
  for (const { name, ...part } of parts) {
    if (name !== "") found.set(name, { ...none, ...found.get(name), ...part });
  }
  return found;
}
