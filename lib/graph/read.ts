/**
 * The handle a computation reads through.
 *
 * @module
 */
import type { Collection, Derived, Index, Input, Resource } from "./api.ts";
import { anyCell, type Bucket, bucketOf, IndexTable, membersCell, membersOf } from "./buckets.ts";
import { BUSY, Cell, STALE, VALUE } from "./cell.ts";
import { LiveCollection } from "./collection.ts";
import { closeCycle } from "./cycle.ts";
import type { Engine, Running } from "./engine.ts";
import { DependencyFault, foreign, nameOf } from "./fault.ts";
import { DerivedTable } from "./home.ts";
import { InputTable, rowCell } from "./input.ts";
import { PlainRead } from "./recording.ts";
import { MeshError } from "../base/mod.ts";

/**
 * Computations nested on the native stack before the innermost is given up and
 * taken up again from the outside, once what it wanted is there. At about 1 KB
 * a level this stays far below the engine's stack of about 1 MB, which the
 * functions themselves need too.
 */
const DEEPEST = 192;

/** Thrown through a computation that is given up; never seen outside. */
const GIVEN_UP = new MeshError("graph-given-up", "This computation will be run again.");

/** One running computation. */
export class Frame extends PlainRead implements Running {
  inner = 0;
  readonly #engine: Engine;
  readonly #cell: Cell;
  readonly #id: number;

  constructor(engine: Engine, cell: Cell) {
    super();
    this.#engine = engine;
    this.#cell = cell;
    this.#id = ++engine.epoch;
  }

  /** The cell being computed, for messages. */
  describe(): string {
    return nameOf(this.#cell);
  }

  get<V, K>(table: Input<V, K>, key: K): V | undefined;
  get<V, K>(table: Derived<V, K>, key: K): V;
  get(table: Input<unknown, unknown> | Derived<unknown, unknown>, key: unknown): unknown {
    const engine = this.#enter();
    if (table instanceof DerivedTable && table.engine === engine) {
      const cell = derivedCell(engine, table, table.keyCodec.encode(key));
      this.#current(cell);
      return valueOf(cell);
    }
    if (table instanceof InputTable && table.engine === engine) {
      const cell = rowCell(table, table.keyCodec.encode(key));
      this.#note(cell);
      return cell.value;
    }
    throw foreign(table.name);
  }

  members<B, M>(index: Index<B, M>, bucket: B): readonly M[] {
    const found = this.#bucket(index, bucket);
    this.#note(membersCell(found));
    return membersOf(found.index, found) as readonly M[];
  }

  any<B, M>(index: Index<B, M>, bucket: B): boolean {
    const found = this.#bucket(index, bucket);
    this.#note(anyCell(found));
    return found.members.size > 0;
  }

  content(collection: Collection): ReadonlyMap<string, Resource> {
    const engine = this.#enter();
    if (!(collection instanceof LiveCollection) || collection.engine !== engine) {
      throw foreign(collection.name);
    }
    this.#current(collection.cell);
    return collection.claims.content;
  }

  #bucket(index: Index<unknown, unknown>, bucket: unknown): Bucket {
    const engine = this.#enter();
    if (index instanceof IndexTable && index.engine === engine) {
      return bucketOf(index, index.codecs.bucket.encode(bucket));
    }
    throw foreign(index.name);
  }

  /** Only the innermost running computation may read. */
  #enter(): Engine {
    if (this.#engine.frame === this) return this.#engine;
    throw new MeshError(
      "graph-late-read",
      `The handle given to the computation of ${this.describe()} was used outside of it.`,
      { remedy: "Read before the function returns, and only in the function itself." },
    );
  }

  #note(cell: Cell): void {
    if (cell.seen === this.#id) return;
    cell.seen = this.#id;
    this.#engine.reads[this.#engine.top++] = cell;
  }

  /** Records the read first, so that a failure below is a dependency too; then brings the cell up. */
  #current(cell: Cell): void {
    this.#note(cell);
    if ((cell.flags & STALE) === 0) return;
    const engine = this.#engine;
    if ((cell.flags & BUSY) !== 0) throw closeCycle(engine, cell);
    if (engine.depth >= DEEPEST) {
      engine.wanted = cell;
      throw GIVEN_UP;
    }
    engine.pull(cell);
  }
}

/** The cell of a derived table, made when it is first asked for. */
export function derivedCell(engine: Engine, table: DerivedTable, key: string): Cell {
  const known = table.cells.get(key);
  if (known !== undefined) return known;
  const cell = new Cell(table, key, STALE);
  table.cells.set(key, cell);
  table.made++;
  engine.unread.add(cell);
  return cell;
}

/** The value of a current derived cell. Throws {@link DependencyFault} when there is none. */
export function valueOf(cell: Cell): unknown {
  if ((cell.flags & VALUE) !== 0) return cell.value;
  throw new DependencyFault(cell.home.name, cell.key, cell.fault?.error);
}
