/**
 * Input tables: rows that come from outside.
 *
 * @module
 */
import type { Input } from "../api/tables.ts";
import { Cell, type Core, Home, isRead, VALUE } from "../cells/mod.ts";
import type { KeyCodec } from "../../../kit/key/mod.ts";
import type { IndexTable } from "./index.ts";

/** A row that a feed offers. */
export interface Offer {
  /** The feed's cell of the group, whose dependency is the cell that computes the rows of the group. */
  readonly group: Cell;
  /** The number of the feed: offers of a key are in the order of feeds, then of groups. */
  readonly feed: number;
  readonly row: unknown;
}

/** A table of rows. An absent row has a cell only while something reads its absence. */
export class InputTable extends Home implements Input<unknown, unknown> {
  readonly kind = "input";
  readonly rows: Map<string, Cell> = new Map();
  readonly indexes: IndexTable[] = [];
  /** Rows present. */
  count = 0;
  /** Keys of the present rows, sorted; created at first use. */
  sortedKeys: readonly unknown[] | undefined = undefined;
  /** The rows that feeds offer for a key, in order: the first is written if no row comes from outside. */
  readonly offers: Map<string, Offer[]> = new Map();

  constructor(
    readonly engine: Core,
    readonly name: string,
    readonly keyCodec: KeyCodec<unknown>,
    readonly equal: (a: unknown, b: unknown) => boolean,
  ) {
    super();
  }

  override lostReaders(cell: Cell): void {
    this.engine.empty.add(cell);
  }

  peek(key: unknown): unknown {
    this.engine.untracked("table", this.name);
    return this.rows.get(this.keyCodec.encode(key))?.value;
  }

  keys(): readonly unknown[] {
    this.engine.untracked("table", this.name);
    if (this.sortedKeys === undefined) {
      const keys: string[] = [];
      for (const cell of this.rows.values()) if (cell.value !== undefined) keys.push(cell.key);
      this.sortedKeys = Object.freeze(keys.sort().map((key) => this.keyCodec.decode(key)));
    }
    return this.sortedKeys;
  }

  isFed(key: unknown): boolean {
    const cell = this.rows.get(this.keyCodec.encode(key));
    return cell?.value !== undefined && isFedRow(cell);
  }

  get size(): number {
    this.engine.untracked("table", this.name);
    return this.count;
  }

  /**
   * Returns the cell of a row by the text of its key; the cell of an absent row is created at first
   * use.
   */
  cell(key: string): Cell {
    let cell = this.rows.get(key);
    if (cell === undefined) this.rows.set(key, cell = new Cell(this, key, VALUE));
    return cell;
  }

  /** Removes the cell of an absent row that nothing reads. */
  dropIfEmpty(cell: Cell): void {
    if (isRead(cell) || cell.value !== undefined) return;
    if (this.rows.get(cell.key) === cell) this.rows.delete(cell.key);
  }
}

/** Reports if a feed wrote the row: such a row depends on the cell that computed it. */
export function isFedRow(row: Cell): boolean {
  return row.deps.length > 0;
}
