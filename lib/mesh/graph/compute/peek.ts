/**
 * Reading outside of computations: current values, with no dependency recorded.
 *
 * @module
 */
import type { CellRef, Collection, Resource } from "../api/collections.ts";
import type { Explained } from "../api/rows.ts";
import type { Derived, Index, Input } from "../api/tables.ts";
import { type Cell, type Core, foreign } from "../cells/mod.ts";
import type { Engine } from "../engine.ts";
import { DerivedTable, InputTable, valueOf } from "../tables/mod.ts";
import { explainBy, PlainRead } from "./recording.ts";

/** The cell of a derived value, brought up to date. */
export function peekCell(engine: Core, table: DerivedTable, key: unknown): Cell {
  engine.untracked("table", table.name);
  const cell = table.cell(table.keyCodec.encode(key));
  // Used now: the last to be evicted.
  if (engine.unread.delete(cell)) engine.unread.add(cell);
  engine.pull(cell);
  engine.flush();
  return cell;
}

/** Computes a cell again for its decisions; `undefined` when there is no such table. */
export function explain(
  engine: Engine,
  { table, key }: CellRef,
  asked?: ReadonlySet<string>,
): Explained<unknown> | undefined {
  const home = engine.tables.get(table);
  if (home?.kind !== "derived") return undefined;
  engine.untracked("table", table);
  return explainBy(new PeekRead(engine), { table: home, key: home.keyCodec.decode(key), asked });
}

class PeekRead extends PlainRead {
  readonly #engine: Core;

  constructor(engine: Core) {
    super();
    this.#engine = engine;
  }

  get<V, K>(table: Input<V, K>, key: K): V | undefined;
  get<V, K>(table: Derived<V, K>, key: K): V;
  get(table: Input<unknown, unknown> | Derived<unknown, unknown>, key: unknown): unknown {
    if (table instanceof InputTable) return table.peek(key);
    if (table instanceof DerivedTable) return valueOf(peekCell(this.#engine, table, key));
    throw foreign(table.name);
  }

  members<B, M>(index: Index<B, M>, bucket: B): readonly M[] {
    return index.peek(bucket);
  }

  any<B, M>(index: Index<B, M>, bucket: B): boolean {
    return index.peek(bucket).length > 0;
  }

  content(collection: Collection): ReadonlyMap<string, Resource> {
    return collection.content;
  }
}
