/**
 * Derived tables: a function, a cell for each key that was read, and counters.
 *
 * @module
 */
import type { Resource } from "../api/collections.ts";
import type { Read } from "../api/rows.ts";
import type { Derived } from "../api/tables.ts";
import {
  Cell,
  type Core,
  DependencyFault,
  foreign,
  Home,
  IDLE,
  STALE,
  VALUE,
} from "../cells/mod.ts";
import type { KeyCodec } from "../../../kit/key/mod.ts";

/** Declaration of a derived table. */
export interface DerivedOptions {
  readonly name: string;
  readonly keyCodec: KeyCodec<unknown>;
  readonly compute: (read: Read, key: unknown) => unknown;
  readonly equal: (a: unknown, b: unknown) => boolean;
}

export class DerivedTable extends Home implements Derived<unknown, unknown> {
  readonly kind = "derived";
  readonly name: string;
  readonly keyCodec: KeyCodec<unknown>;
  readonly compute: DerivedOptions["compute"];
  readonly equal: DerivedOptions["equal"];
  readonly cells: Map<string, Cell> = new Map();
  /** Computations run, and microseconds of own time they took. */
  computed = 0;
  micros = 0;
  /**
   * True if the values are resources of a collection: their bytes count when the cell is unread.
   */
  holdsResources = false;
  /** Cells made, and cells read again after a time without readers. */
  made = 0;
  revived = 0;

  constructor(readonly engine: Core, { name, keyCodec, compute, equal }: DerivedOptions) {
    super();
    this.name = name;
    this.keyCodec = keyCodec;
    this.compute = compute;
    this.equal = equal;
  }

  override gainedReader(cell: Cell): void {
    this.engine.unread.delete(cell);
    if (this.holdsResources) this.engine.unreadBytes -= bytesOf(cell.value);
    if ((cell.flags & IDLE) === 0) return;
    cell.flags &= ~IDLE;
    this.revived++;
  }

  override lostReaders(cell: Cell): void {
    cell.flags |= IDLE;
    this.engine.unread.add(cell);
    if (this.holdsResources) this.engine.unreadBytes += bytesOf(cell.value);
  }

  /** Returns the cell of a key as text, created at first use. */
  cell(key: string): Cell {
    const known = this.cells.get(key);
    if (known !== undefined) return known;
    const cell = new Cell(this, key, STALE);
    this.cells.set(key, cell);
    this.made++;
    this.engine.unread.add(cell);
    return cell;
  }

  /** Counts the bytes of values from now on, also those of existing unread cells. */
  countResources(): void {
    if (this.holdsResources) return;
    this.holdsResources = true;
    for (const cell of this.cells.values()) {
      if (this.engine.unread.has(cell)) this.engine.unreadBytes += bytesOf(cell.value);
    }
  }
}

/** Bytes of the resources in a list; 0 for anything else. */
export function bytesOf(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  let bytes = 0;
  for (const one of value) bytes += (one as Partial<Resource>).bytes?.length ?? 0;
  return bytes;
}

/** The value of a derived cell that is up to date. Throws a {@link DependencyFault} when it has none. */
export function valueOf(cell: Cell): unknown {
  if ((cell.flags & VALUE) !== 0) return cell.value;
  throw new DependencyFault(cell.home.name, cell.key, cell.fault?.error);
}

/** A derived table as the engine knows it. Throws when it is of another graph. */
export function ownTable(engine: Core, table: Derived<unknown, unknown>): DerivedTable {
  if (table instanceof DerivedTable && table.engine === engine) return table;
  throw foreign(table.name);
}
