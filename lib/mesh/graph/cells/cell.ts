/**
 * Cells: the nodes of the dependency graph.
 *
 * One class serves rows, derived values, buckets, collections, their members and
 * watches, so that the loops that follow edges see one shape. A cell has no
 * closure of its own; its behaviour is in its {@link Home}.
 *
 * @module
 */

/** Something below the cell changed since it was last verified. Never set on rows and buckets. */
export const STALE = 1;
/** The cell has a good value: the current one, or the last good one of a cell with a fault. */
export const VALUE = 2;
/** The cell is being verified or computed: reading it now closes a cycle. */
export const BUSY = 4;
/** The cell has been computed at least once, with a fault or without, so that its dependencies are known. */
export const COMPUTED = 8;
/** The cell had readers and has none now. */
export const IDLE = 16;

/** A failure of a cell, of an index function, or of a callback. */
export interface Failure {
  readonly error: unknown;
  /** Revision of the first failure since it last worked. */
  readonly since: number;
}

/** Readers of a cell: none, one, a few, or many. */
export type Readers = undefined | Cell | Cell[] | Set<Cell>;

/** The kind of table or collection that a cell belongs to. */
export type HomeKind = "input" | "derived" | "index" | "collection" | "member" | "watch" | "feed";

const NO_CELLS: readonly Cell[] = Object.freeze([]);

/** A node of the dependency graph. */
export class Cell {
  value: unknown = undefined;
  /** The cells that its computation read, each once, in the order of the first read. */
  deps: readonly Cell[] = NO_CELLS;
  readers: Readers = undefined;
  /** Revision of the last change of {@link value}. */
  changedAt = 0;
  /** Revision at which it was last known to be current. */
  verifiedAt = 0;
  flags: number;
  /** Scratch mark of loops that visit each cell once; compared with the core's epoch. */
  seen = 0;
  fault: Failure | undefined = undefined;
  /** Computations run, and tenths of microseconds of own time they took. */
  runs = 0;
  spent = 0;
  readonly home: Home;
  readonly key: string;

  constructor(home: Home, key: string, flags: number) {
    this.home = home;
    this.key = key;
    this.flags = flags;
  }
}

/** A table, an index, a collection, a watch or a feed: what a cell belongs to. */
export abstract class Home {
  abstract readonly kind: HomeKind;
  abstract readonly name: string;

  /** Called when a cell gets its first reader. */
  gainedReader(_cell: Cell): void {}

  /** Called when a cell loses its last reader. */
  lostReaders(_cell: Cell): void {}

  /** Called when a cell becomes stale. Pushes the cells to mark next; default: the readers. */
  marked(cell: Cell, stack: Cell[]): void {
    pushReaders(stack, cell);
  }
}

/** Pushes the readers of a cell. */
export function pushReaders(stack: Cell[], cell: Cell): void {
  const { readers } = cell;
  if (readers === undefined) return;
  if (readers instanceof Cell) stack.push(readers);
  else for (const reader of readers) stack.push(reader);
}

/** Reports if anything reads the cell. */
export function isRead(cell: Cell): boolean {
  return cell.readers !== undefined;
}

/** `table/key`, or the table alone where the key is empty. */
export function nameOf(cell: Cell): string {
  return cell.key === "" ? cell.home.name : `${cell.home.name}/${cell.key}`;
}
