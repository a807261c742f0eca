/**
 * Tables of what clients see of a host: everybody, a namespace, and proxies of a
 * place.
 *
 * @module
 */
import { deriveTelling, lookUp, type Telling } from "../../derive/mod.ts";
import type { Derived, Resource } from "../../graph/mod.ts";
import type { InGraph } from "./collections.ts";
import { splitKey } from "./keys.ts";
import { differences, sameResources } from "./resource.ts";

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
