/**
 * Computing without memory: the value of a cell, computed from the rows (or from
 * its dependencies as they are), with no dependency recorded and no value kept.
 *
 * @module
 */
import type { Collection, Resource } from "../api/collections.ts";
import type { Derived, Index, Input } from "../api/tables.ts";
import { lazily, MeshError } from "../../../kit/base/mod.ts";
import { type Core, foreign, type Running, STALE, VALUE } from "../cells/mod.ts";
import {
  Claims,
  Content,
  distinct,
  LiveCollection,
  replaceClaims,
  sourcesOf,
} from "../collections/mod.ts";
import { PlainRead } from "../compute/mod.ts";
import { DerivedTable, IndexTable, InputTable } from "../tables/mod.ts";

/** Computations nested before the evaluation is abandoned; each takes native stack. */
const DEEPEST = 128;

/** The reason why an evaluation has no result. */
export type Obstacle = "too large" | "fault" | "out of date";

/** The limits of an evaluation. */
export interface Bounds {
  readonly computations: number;
  /** Reports if it is time to stop. */
  readonly late: () => boolean;
  /** `rows`: everything is computed from rows and buckets. `neighbours`: the dependencies of the cell are taken as they are. */
  readonly from: "rows" | "neighbours";
}

/** Thrown through computations that cannot be finished; never seen outside. */
const stopped = lazily(() => new MeshError("graph-audit-stop", "This evaluation is abandoned."));

const NO_RESOURCES: readonly Resource[] = Object.freeze([]);

/** One evaluation, with the values that it has computed. */
export class Evaluation {
  /** Computed values; a cell that is being computed is present without a value. */
  readonly values: Map<DerivedTable, Map<string, { readonly value: unknown } | undefined>> =
    new Map();
  /** The first reason why there is no result: cells with a fault are exempt from the law. */
  obstacle: Obstacle | undefined = undefined;
  computed = 0;
  #depth = 0;
  readonly #contents: Map<LiveCollection, ReadonlyMap<string, Resource>> = new Map();

  constructor(readonly engine: Core, readonly bounds: Bounds) {}

  /** Computes one cell. Throws when that is not possible; {@link obstacle} is the reason. */
  cell(table: DerivedTable, key: string): unknown {
    let known = this.values.get(table);
    if (known === undefined) this.values.set(table, known = new Map());
    if (known.has(key)) {
      const found = known.get(key);
      return found === undefined ? this.stop("fault") : found.value;
    }
    if (this.obstacle !== undefined) throw stopped();
    const { computations, late } = this.bounds;
    if (this.computed >= computations || this.#depth >= DEEPEST || late()) {
      return this.stop("too large");
    }
    known.set(key, undefined);
    const value = this.#run(table, key);
    known.set(key, { value });
    return value;
  }

  /** The value of a cell that is read by another one. */
  read(table: DerivedTable, key: string): unknown {
    if (this.bounds.from === "rows") return this.cell(table, key);
    const cell = table.cells.get(key);
    if (cell === undefined || (cell.flags & STALE) !== 0) return this.stop("out of date");
    if (cell.fault !== undefined || (cell.flags & VALUE) === 0) return this.stop("fault");
    return cell.value;
  }

  /** Computes the content of a collection. */
  content(collection: LiveCollection): ReadonlyMap<string, Resource> {
    const known = this.#contents.get(collection);
    if (known !== undefined) return known;
    const claims = new Claims();
    const taken = new Map<string, readonly Resource[]>();
    const { resources, keyOf } = collection.recipe;
    for (const member of this.#members(collection)) {
      const list = distinct(this.read(resources, this.#key(keyOf, member)) as readonly Resource[]);
      taken.set(member, list);
      const change = { member, old: NO_RESOURCES, next: list };
      replaceClaims(claims, change, (other) => taken.get(other)!);
    }
    this.#contents.set(collection, claims.content);
    return claims.content;
  }

  /** Abandons the evaluation. */
  stop(obstacle: Obstacle): never {
    this.obstacle ??= obstacle;
    throw stopped();
  }

  #run(table: DerivedTable, key: string): unknown {
    const { engine } = this;
    const outer = engine.frame;
    const reader = new FreshRead(this, `${table.name}/${key}`);
    engine.frame = reader;
    this.#depth++;
    this.computed++;
    try {
      const value = table.compute(reader, table.keyCodec.decode(key));
      return value instanceof Content ? new Map(value) : value;
    } catch {
      return this.stop("fault");
    } finally {
      this.#depth--;
      engine.frame = outer;
    }
  }

  #key(keyOf: ((member: string) => string) | undefined, member: string): string {
    try {
      return keyOf === undefined ? member : keyOf(member);
    } catch {
      return this.stop("fault");
    }
  }

  #members(collection: LiveCollection): ReadonlySet<string> {
    const { recipe } = collection;
    const { fixed, index, listTable, listKey } = recipe;
    const list = listTable === undefined ? fixed : sourcesOf(recipe, this.read(listTable, listKey));
    if (index === undefined) return new Set(list);
    const found = new Set<string>();
    for (const bucket of list) {
      for (const member of index.buckets.get(bucket)?.members.keys() ?? []) found.add(member);
    }
    return found;
  }
}

/** The read context of an evaluation's computations. */
class FreshRead extends PlainRead implements Running {
  inner = 0;
  readonly #evaluation: Evaluation;
  readonly #name: string;

  constructor(evaluation: Evaluation, name: string) {
    super();
    this.#evaluation = evaluation;
    this.#name = name;
  }

  describe(): string {
    return this.#name;
  }

  get<V, K>(table: Input<V, K>, key: K): V | undefined;
  get<V, K>(table: Derived<V, K>, key: K): V;
  get(table: Input<unknown, unknown> | Derived<unknown, unknown>, key: unknown): unknown {
    const text = table.keyCodec.encode(key);
    if (table instanceof InputTable) return table.rows.get(text)?.value;
    if (!(table instanceof DerivedTable)) throw foreign(table.name);
    return this.#evaluation.read(table, text);
  }

  members<B, M>(index: Index<B, M>, bucket: B): readonly M[] {
    if (!(index instanceof IndexTable)) throw foreign(index.name);
    const found = index.buckets.get(index.codecs.bucket.encode(bucket));
    return index.membersOf(found) as readonly M[];
  }

  any<B, M>(index: Index<B, M>, bucket: B): boolean {
    if (!(index instanceof IndexTable)) throw foreign(index.name);
    return (index.buckets.get(index.codecs.bucket.encode(bucket))?.members.size ?? 0) > 0;
  }

  content(collection: Collection): ReadonlyMap<string, Resource> {
    if (!(collection instanceof LiveCollection)) throw foreign(collection.name);
    const evaluation = this.#evaluation;
    if (evaluation.bounds.from === "rows") return evaluation.content(collection);
    if (!collection.built || (collection.cell.flags & STALE) !== 0) {
      return evaluation.stop("out of date");
    }
    return collection.claims.content;
  }

  override part<T>(compute: () => T): T {
    return this.#evaluation.bounds.late() ? this.#evaluation.stop("too large") : compute();
  }
}
