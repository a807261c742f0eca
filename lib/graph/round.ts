/**
 * What happened since the last publication but one could not tell afterwards: which
 * rows were edited, and which edges, places and members were there before. Small
 * beside the work itself, and forgotten when the next round of edits begins.
 *
 * @module
 */
import type { Edit } from "./api.ts";
import type { Cell } from "./cell.ts";
import { STALE } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { IndexTable } from "./buckets.ts";

/** What a collection was like before the edits, where it differs. */
export interface Former {
  /** Of each name whose owner is another now, the member that had it first. */
  readonly owners: Map<string, string>;
  /** Members that came or went, with the cell their resources came from. */
  readonly members: Map<string, Cell>;
}

/** From one publication to the next. */
export class Round {
  /** Revision of the publication before the edits. */
  from = 0;
  /** Whether edits have been made that are not published yet. */
  open = false;
  /** The rows edited, each with its last edit. */
  readonly edits: Map<Cell, Edit> = new Map();
  /** Dependencies that cells have no longer, of those that changed or may have. */
  readonly lost: Map<Cell, Cell[]> = new Map();
  /** Of rows that moved, the buckets and members they had in an index, in turns. */
  readonly places: Map<IndexTable, Map<string, readonly string[]>> = new Map();
  readonly former: Map<LiveCollection, Former> = new Map();
  /** Remembered by `causes.ts`: the edits that touched a bucket, with the member. */
  readonly byBucket: Map<IndexTable, Map<string, (readonly [Cell, string])[]>> = new Map();

  /** Forgets what was, since edits begin after a publication. */
  begin(published: number): void {
    this.from = published;
    this.open = true;
    this.edits.clear();
    this.lost.clear();
    this.places.clear();
    this.former.clear();
  }

  /** Whether a cell changed in this round, or may have. */
  moved(cell: Cell): boolean {
    return cell.changedAt > this.from || (cell.flags & STALE) !== 0;
  }

  edit(row: Cell, edit: Edit): void {
    this.edits.set(row, edit);
    if (this.byBucket.size > 0) this.byBucket.clear();
  }

  /** A cell no longer reads another. One that stands as it stood can not be why. */
  lose(cell: Cell, dep: Cell): void {
    if (!this.moved(dep)) return;
    const lost = this.lost.get(cell);
    if (lost === undefined) this.lost.set(cell, [dep]);
    else lost.push(dep);
  }

  /** A row gives up its places in an index. */
  leave(index: IndexTable, key: string, old: readonly string[]): void {
    if (old.length === 0) return;
    let rows = this.places.get(index);
    if (rows === undefined) this.places.set(index, rows = new Map());
    rows.set(key, rows.has(key) ? [...rows.get(key)!, ...old] : old);
  }

  /** What is noted of a collection. */
  formerOf(collection: LiveCollection): Former {
    let former = this.former.get(collection);
    if (former === undefined) {
      this.former.set(collection, former = { owners: new Map(), members: new Map() });
    }
    return former;
  }
}
