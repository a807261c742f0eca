/**
 * Derived layers: collections with the same members as another collection, and resources that are
 * computed from those of the other.
 *
 * @module
 */
import {
  type Collection,
  type CollectionSpec,
  type Derived,
  type Graph,
  type KeyCodec,
  type Resource,
  text,
} from "../../graph/mod.ts";

/** A table of resources whose keys may be of any type. */
export type AnyResourceTable = Derived<readonly Resource[], unknown>;

/** A table of resources, whatever its keys are. */
export function anyTable<K>(table: Derived<readonly Resource[], K>): AnyResourceTable {
  return table as unknown as AnyResourceTable;
}

/** Input of a derived layer. */
export interface DerivedLayer {
  readonly name: string;
  /** The table of computed resources. */
  readonly table: AnyResourceTable;
  /** The key of the computed resources from that of the original ones; default: the same. */
  readonly keyOf?: (key: unknown) => unknown;
}

/** The derived layer of a collection; it keeps the note of the collection. */
export function derivedLayer(
  graph: Graph,
  { spec }: Collection,
  { name, table, keyOf = (key) => key }: DerivedLayer,
): Collection {
  const original = spec.keyOf ?? ((member: unknown) => member);
  return graph.collection<unknown, unknown, unknown, unknown>(name, () => ({
    ...spec,
    members: withCodec(spec),
    resources: table,
    keyOf: (member) => keyOf(original(member)),
  }));
}

/** The members of a collection, with their codec: it follows from the table only in the original. */
function withCodec(
  { members, keyOf, resources }: CollectionSpec<unknown, unknown, unknown, unknown>,
): CollectionSpec<unknown, unknown, unknown, unknown>["members"] {
  if ("index" in members || members.codec !== undefined) return members;
  const codec = keyOf === undefined ? resources.keyCodec : text as KeyCodec<unknown>;
  return { ...members, codec };
}
