/**
 * Feeds: rows of an input table that are computed from other tables.
 *
 * A feed has one cell for each group. It depends on the derived cell that computes the rows of the
 * group, and is marked with it. `compute/feeds.ts` brings marked groups up to date.
 *
 * @module
 */
import { addReader, Cell, Home, STALE, unlink } from "../cells/mod.ts";
import type { Bucket, BucketWatcher } from "./bucket.ts";
import type { DerivedTable } from "./derived.ts";
import type { IndexTable } from "./index.ts";
import type { InputTable, Offer } from "./input.ts";

/** The target table, the index of groups, and the table that computes the rows of each. */
export interface FeedTables {
  readonly target: InputTable;
  readonly groups: IndexTable;
  readonly rows: DerivedTable;
}

const NO_ROWS: ReadonlyMap<unknown, unknown> = new Map();

export class Feed extends Home implements FeedTables, BucketWatcher {
  readonly kind = "feed";
  readonly target: InputTable;
  readonly groups: IndexTable;
  readonly rows: DerivedTable;
  /** Stands for the feed as a whole, among the watchers of its groups' bucket. */
  readonly cell: Cell = new Cell(this, "", 0);
  /** Group → its cell, whose value is the map of rows that was taken last. */
  readonly cells: Map<string, Cell> = new Map();
  /** Groups to be computed. */
  readonly stale: Set<Cell> = new Set();
  /** Groups that came or went. */
  readonly moved: Set<string> = new Set();
  /** Times that it was settled since the last transaction. */
  rounds = 0;
  readonly #bucket: Bucket;

  /** @param number place among the feeds, which decides between rows of one key */
  constructor(readonly name: string, readonly number: number, tables: FeedTables) {
    super();
    this.target = tables.target;
    this.groups = tables.groups;
    this.rows = tables.rows;
    this.#bucket = this.groups.bucket("all");
    this.#bucket.addWatcher(this);
    for (const member of this.#bucket.members.keys()) this.moved.add(member);
  }

  override marked(cell: Cell): void {
    this.stale.add(cell);
  }

  shift(member: string): void {
    this.moved.add(member);
  }

  get isStale(): boolean {
    return this.stale.size > 0 || this.moved.size > 0;
  }

  /**
   * Makes cells for groups that came, and removes those of groups that went.
   *
   * @param touched takes the keys whose offers changed
   */
  takeMembers(touched: Set<string>): void {
    for (const member of this.moved) {
      const cell = this.cells.get(member);
      const isThere = this.#bucket.members.has(member);
      if (isThere && cell === undefined) this.#add(member);
      else if (!isThere && cell !== undefined) this.#remove(cell, touched);
    }
    this.moved.clear();
  }

  #add(member: string): void {
    const { codecs } = this.groups;
    const source = this.rows.cell(this.rows.keyCodec.encode(codecs.member.decode(member)));
    const cell = new Cell(this, member, STALE);
    cell.value = NO_ROWS;
    cell.deps = [source];
    addReader(source, cell);
    this.cells.set(member, cell);
    this.stale.add(cell);
  }

  #remove(cell: Cell, touched: Set<string>): void {
    this.takeRows(cell, NO_ROWS, touched);
    this.cells.delete(cell.key);
    this.stale.delete(cell);
    unlink(cell);
  }

  /** Replaces the rows that a group offers. */
  takeRows(cell: Cell, rows: ReadonlyMap<unknown, unknown>, touched: Set<string>): void {
    const { keyCodec } = this.target;
    const old = cell.value as ReadonlyMap<unknown, unknown>;
    if (old === rows) return;
    const next = new Map([...rows].map(([key, row]) => [keyCodec.encode(key), row] as const));
    for (const key of old.keys()) {
      const text = keyCodec.encode(key);
      touched.add(text);
      if (!next.has(text)) this.#withdraw(text, cell);
    }
    for (const [key, row] of next) {
      touched.add(key);
      this.#offer(key, cell, row);
    }
    cell.value = rows;
  }

  #offer(key: string, group: Cell, row: unknown): void {
    const others = (this.target.offers.get(key) ?? []).filter((one) => one.group !== group);
    const offers = [...others, { group, feed: this.number, row }].sort(inOrder);
    this.target.offers.set(key, offers);
  }

  #withdraw(key: string, group: Cell): void {
    const others = (this.target.offers.get(key) ?? []).filter((one) => one.group !== group);
    if (others.length === 0) this.target.offers.delete(key);
    else this.target.offers.set(key, others);
  }

  /** The rows of the target that a group gives, as far as they were written. */
  rowsOf(group: Cell): Cell[] {
    const { target } = this;
    const rows = (group.value ?? NO_ROWS) as ReadonlyMap<unknown, unknown>;
    return [...rows.keys()].flatMap((key) => target.rows.get(target.keyCodec.encode(key)) ?? []);
  }
}

function inOrder(a: Offer, b: Offer): number {
  return a.feed - b.feed || (a.group.key < b.group.key ? -1 : 1);
}
