/**
 * Tables of what clients see of a host: everybody, a namespace, and proxies of a
 * place.
 *
 * @module
 */
import {
  deriveTelling,
  lookUp,
  networkOf,
  parsePlace,
  type Tell,
  type Telling,
} from "../derive/mod.ts";
import type { Derived, Graph, Read, Resource } from "../graph/mod.ts";
import type { Place } from "../model/mod.ts";
import { type MeshContext, type Pick, pickFor, splitKey } from "./context.ts";
import type { Reach } from "./endpoint/mod.ts";
import { differences, sameResources } from "./resource.ts";

/** What tables and collections are created in. */
export interface InGraph {
  readonly mesh: { readonly graph: Graph };
}

/** Tables whose values are lists of resources. */
export interface Layered {
  /** What a namespace sees (`""`: everybody). */
  readonly base: Derived<readonly Resource[]>;
  /** What a namespace sees otherwise than everybody. */
  readonly overlay: Derived<readonly Resource[]>;
}

/** With what proxies of a place see otherwise than others of their namespace. */
export interface Placed extends Layered {
  /** The keys of the other tables with `|place` at the end. */
  readonly placed: Derived<readonly Resource[]>;
}

/** What the content of a host is made from, and nothing else. */
export interface ContentKey {
  /** `namespace/host`. */
  readonly service: string;
  /** As `Policies.ruleKey`. */
  readonly rules: string;
  readonly place: Place | undefined;
}

/** As `pick`, but rules for the workload go before all others. */
export function pickPlaced(
  read: Read,
  context: MeshContext,
  namespace: string,
  host: string,
  place: string,
  tell: Tell | undefined,
): Pick | undefined {
  return pickFor(read, context, { namespace, rules: parsePlace(place).rules }, host, tell);
}

/** Reads a place's key; `undefined` for none. */
export function placeOf(key: string): Place | undefined {
  return key === "" ? undefined : parsePlace(key);
}

/** How a service's endpoints are reached from a place. */
export function reachOf(
  read: Read,
  { mesh, clusterId }: MeshContext & { readonly clusterId: string },
): Reach {
  const map = read.get(mesh.networks.all, "");
  return {
    networkOf: (endpoint) => networkOf(map, endpoint, clusterId),
    gateways: map.gateways,
  };
}

/**
 * The overlay of a table: what a namespace sees otherwise than everybody. A
 * member that nobody else sees is whole in it. What it hides of one member, another
 * may give: of a name, a resource goes before a tombstone.
 *
 * @param parts how many parts the table's keys have
 * @param at which of them is the namespace
 * @param compute how the table computes a cell, where that is little: an overlay then has no cell of
 * the table beside its own
 */
export function overlayOf(
  { mesh }: InGraph,
  name: string,
  base: Derived<readonly Resource[]>,
  parts: number,
  at: number,
  compute: Telling<readonly Resource[]> = (read, key, tell) => lookUp(read, base, key, tell),
): Derived<readonly Resource[]> {
  return deriveTelling<readonly Resource[]>(mesh.graph, name, (read, key, tell) => {
    const split = splitKey(key, parts);
    split[at] = "";
    return differences(compute(read, key, tell), read.get(base, split.join("|")));
  }, { equal: sameResources });
}
