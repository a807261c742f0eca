/**
 * The read context of a computation.
 *
 * @module
 */
import type { Collection, Resource } from "../api/collections.ts";
import type { Derived, Index, Input } from "../api/tables.ts";
import { lazily, MeshError } from "../../../kit/base/mod.ts";
import {
  BUSY,
  type Cell,
  type Core,
  foreign,
  LATE,
  nameOf,
  type Part,
  type Running,
  STALE,
} from "../cells/mod.ts";
import { LiveCollection } from "../collections/mod.ts";
import { type Bucket, DerivedTable, IndexTable, InputTable, valueOf } from "../tables/mod.ts";
import { closeCycle } from "./cycle.ts";
import { PlainRead } from "./recording.ts";

/**
 * Computations nested on the native stack before the innermost is abandoned and
 * run again later, when the cell that it reads has been computed. At about 1 KB
 * a level this stays far below the native stack of about 1 MB, which the
 * functions themselves need too.
 */
const DEEPEST = 192;

/** Thrown through an abandoned computation; never seen outside. */
const abandoned = lazily(() =>
  new MeshError("graph-abandoned", "This computation will be run again.")
);

/** Thrown through computations that cannot be finished ahead of a publication now; never seen outside. */
export const halted: () => MeshError = lazily(() =>
  new MeshError("graph-halted", "This computation will be run again.")
);

/** One running computation. */
export class Frame extends PlainRead implements Running {
  inner = 0;
  readonly #engine: Core;
  readonly #cell: Cell;
  readonly #id: number;
  /** Number of the next part. */
  #part = 0;

  constructor(engine: Core, cell: Cell) {
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
      const cell = table.cell(table.keyCodec.encode(key));
      this.#bringUp(cell);
      return valueOf(cell);
    }
    if (table instanceof InputTable && table.engine === engine) {
      const cell = table.cell(table.keyCodec.encode(key));
      this.#note(cell);
      return cell.value;
    }
    throw foreign(table.name);
  }

  members<B, M>(index: Index<B, M>, bucket: B): readonly M[] {
    const own = this.#index(index);
    const found = bucketOf(own, bucket);
    this.#note(own.membersCell(found));
    return own.membersOf(found) as readonly M[];
  }

  any<B, M>(index: Index<B, M>, bucket: B): boolean {
    const own = this.#index(index);
    const found = bucketOf(own, bucket);
    this.#note(own.anyCell(found));
    return found.members.size > 0;
  }

  content(collection: Collection): ReadonlyMap<string, Resource> {
    const engine = this.#enter();
    if (!(collection instanceof LiveCollection) || collection.engine !== engine) {
      throw foreign(collection.name);
    }
    this.#bringUp(collection.cell);
    return collection.claims.content;
  }

  override part<T>(compute: () => T): T {
    const engine = this.#enter();
    if (!engine.ahead || engine.late === undefined) return compute();
    const at = this.#part++;
    const known = engine.parts.get(this.#cell)?.[at];
    if (known !== undefined) {
      for (const cell of known.reads) this.#note(cell);
      this.#part = known.next;
      return known.value as T;
    }
    if (engine.advanced && engine.late()) {
      engine.halted = LATE;
      throw halted();
    }
    const { top } = engine;
    const value = compute();
    const part = { value, reads: engine.reads.slice(top, engine.top), next: this.#part };
    keepPart(engine, this.#cell, at, part);
    engine.advanced = true;
    return value;
  }

  #index(index: Index<unknown, unknown>): IndexTable {
    const engine = this.#enter();
    if (index instanceof IndexTable && index.engine === engine) return index;
    throw foreign(index.name);
  }

  /** Only the innermost running computation may read. */
  #enter(): Core {
    if (this.#engine.frame === this) return this.#engine;
    throw new MeshError(
      "graph-late-read",
      `The read context of ${this.describe()} was used outside of that computation.`,
      { remedy: "Read before the function returns, and only in the function itself." },
    );
  }

  #note(cell: Cell): void {
    if (cell.seen === this.#id) return;
    cell.seen = this.#id;
    this.#engine.reads[this.#engine.top++] = cell;
  }

  /** Records the read first, so that a failure below is a dependency too; then brings the cell up to date. */
  #bringUp(cell: Cell): void {
    this.#note(cell);
    if ((cell.flags & STALE) === 0) return;
    const engine = this.#engine;
    if ((cell.flags & BUSY) !== 0) throw closeCycle(engine, cell);
    if (engine.depth >= DEEPEST) {
      engine.wanted = cell;
      throw abandoned();
    }
    engine.pull(cell);
  }
}

function bucketOf(index: IndexTable, bucket: unknown): Bucket {
  return index.bucket(index.codecs.bucket.encode(bucket));
}

function keepPart(engine: Core, cell: Cell, at: number, part: Part): void {
  let parts = engine.parts.get(cell);
  if (parts === undefined) engine.parts.set(cell, parts = []);
  parts[at] = part;
}
