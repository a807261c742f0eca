/**
 * The changes between two publications that cannot be found out afterwards: the
 * rows edited, and the edges, index entries and members that were there before.
 * Forgotten when the first edit after a publication begins a new window.
 *
 * @module
 */
import type { Edit } from "../api/answers.ts";
import { type Cell, type Home, STALE } from "./cell.ts";

/** The former state of a collection, where it differs. */
export interface FormerCollection {
  /** Name → the member that owned it first, for names that another member owns now. */
  readonly owners: Map<string, string>;
  /** Added or removed members, with the cell of their resources. */
  readonly members: Map<string, Cell>;
}

/** An edited row, with the member that it puts or put into a bucket. */
export type EditedEntry = readonly [row: Cell, member: string];

/** The changes from one publication to the next. */
export class ChangeWindow {
  /** Revision of the publication before the edits. */
  from = 0;
  /** True if edits have been made that are not published yet. */
  open = false;
  /** The rows edited, each with its last edit. */
  readonly edits: Map<Cell, Edit> = new Map();
  /** The rows that feeds wrote. */
  readonly fed: Set<Cell> = new Set();
  /** Cell → dependencies that it no longer has, of those that changed or may have. */
  readonly lost: Map<Cell, Cell[]> = new Map();
  /** Index → row key → buckets and members that the row had there, in turns. */
  readonly entries: Map<Home, Map<string, readonly string[]>> = new Map();
  readonly former: Map<Home, FormerCollection> = new Map();
  /** Index → bucket → edits that touched the bucket. Filled by `inspect/causes.ts`. */
  readonly byBucket: Map<Home, Map<string, EditedEntry[]>> = new Map();

  /** Begins a new window after a publication. */
  begin(published: number): void {
    this.from = published;
    this.open = true;
    this.edits.clear();
    this.fed.clear();
    this.lost.clear();
    this.entries.clear();
    this.former.clear();
  }

  /** Reports if a cell changed in this window, or may have. */
  moved(cell: Cell): boolean {
    return cell.changedAt > this.from || (cell.flags & STALE) !== 0;
  }

  /** Notes that a row was edited. */
  edited(row: Cell, edit: Edit): void {
    this.edits.set(row, edit);
    if (this.byBucket.size > 0) this.byBucket.clear();
  }

  /** Notes that a feed wrote a row. */
  fedRow(row: Cell): void {
    this.fed.add(row);
    if (this.byBucket.size > 0) this.byBucket.clear();
  }

  /** Notes that a cell no longer reads another. A dependency that did not change is no cause. */
  lostDependency(cell: Cell, dep: Cell): void {
    if (!this.moved(dep)) return;
    const lost = this.lost.get(cell);
    if (lost === undefined) this.lost.set(cell, [dep]);
    else lost.push(dep);
  }

  /** Notes the entries that a row had in an index. */
  lostEntries(index: Home, key: string, old: readonly string[]): void {
    if (old.length === 0) return;
    let rows = this.entries.get(index);
    if (rows === undefined) this.entries.set(index, rows = new Map());
    rows.set(key, rows.has(key) ? [...rows.get(key)!, ...old] : old);
  }

  /** The notes about a collection. */
  formerOf(collection: Home): FormerCollection {
    let former = this.former.get(collection);
    if (former === undefined) {
      this.former.set(collection, former = { owners: new Map(), members: new Map() });
    }
    return former;
  }
}
