/**
 * Recipes of collections: the specification with the engine's own tables, and
 * with keys and members as texts.
 *
 * @module
 */
import type { CollectionSpec } from "../api/collections.ts";
import { type Core, foreign } from "../cells/mod.ts";
import { type KeyCodec, text } from "../../../kit/key/mod.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import { type DerivedTable, IndexTable, ownTable } from "../tables/mod.ts";

/** A specification whose keys may be of any type. */
export type AnySpec = CollectionSpec<unknown, unknown, unknown, unknown>;

/** Recipe of a collection. */
export interface Recipe {
  /** Source of the members: an index, otherwise a list. */
  readonly index: IndexTable | undefined;
  /** The table of the derived list of members or buckets, and the key there. */
  readonly listTable: DerivedTable | undefined;
  readonly listKey: string;
  /** Without such a table: the members or buckets. */
  readonly fixed: readonly string[];
  /** The codec of members, or of buckets where there is an index. */
  readonly sources: KeyCodec<unknown>;
  readonly resources: DerivedTable;
  /** The key of a member's resources; absent where it is the member itself. */
  readonly keyOf: ((member: string) => string) | undefined;
}

/** Exchanges the tables and keys of a specification for the engine's own. */
export function recipeOf(engine: Core, name: string, spec: AnySpec): Recipe {
  const { members } = spec;
  const from = "bucketsFrom" in members
    ? members.bucketsFrom
    : "listFrom" in members
    ? members.listFrom
    : undefined;
  const index = "index" in members ? ownIndex(engine, members.index) : undefined;
  const resources = ownTable(engine, spec.resources);
  resources.countResources();
  const member = memberCodec(spec, resources);
  const sources = index?.codecs.bucket ?? member;
  const fixed = "buckets" in members ? members.buckets : "list" in members ? members.list : [];
  const listTable = from && ownTable(engine, from[0]);
  return {
    index,
    listTable,
    listKey: from === undefined ? "" : listTable!.keyCodec.encode(from[1]),
    fixed: textsOf(sources, fixed),
    sources,
    resources,
    keyOf: keyFunction(name, spec, member, resources),
  };
}

/** The members or buckets of a derived list, as texts. */
export function sourcesOf({ sources }: Recipe, list: unknown): readonly string[] {
  return textsOf(sources, list as readonly unknown[]);
}

function textsOf(codec: KeyCodec<unknown>, keys: readonly unknown[]): readonly string[] {
  return codec === text ? keys as readonly string[] : keys.map((key) => codec.encode(key));
}

function memberCodec({ members, keyOf }: AnySpec, resources: DerivedTable): KeyCodec<unknown> {
  if ("index" in members) return members.index.codecs.member;
  return members.codec ?? (keyOf === undefined ? resources.keyCodec : text as KeyCodec<unknown>);
}

function keyFunction(
  name: string,
  { keyOf }: AnySpec,
  member: KeyCodec<unknown>,
  { name: table, keyCodec }: DerivedTable,
): Recipe["keyOf"] {
  if (keyOf !== undefined) return (key) => keyCodec.encode(keyOf(member.decode(key)));
  if (member === keyCodec) return undefined;
  throw new MeshError(
    "graph-codecs-differ",
    `The members of the collection ${name} and the keys of ${table} have different codecs.`,
    { remedy: "Give keyOf, which returns the key of a member." },
  );
}

function ownIndex(engine: Core, index: { readonly name: string }): IndexTable {
  if (index instanceof IndexTable && index.engine === engine) return index;
  throw foreign(index.name);
}
