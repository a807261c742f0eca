/**
 * Buckets of an index.
 *
 * @module
 */
import { type Cell, lowerBound } from "../cells/mod.ts";

/** Members for each move below which sorting again is faster than inserting. */
const MEMBERS_A_MOVE = 16;

/** A collection that takes its members from a bucket. */
export interface BucketWatcher {
  /** The cell of the collection as a whole. */
  readonly cell: Cell;
  /** One source more (`1`) or less (`-1`) names a member. */
  shift(member: string, by: number): void;
}

/** One bucket. It exists while it has members or a reader. */
export class Bucket {
  /** Member → how many entries put it here. */
  readonly members: Map<string, number> = new Map();
  /** For readers of the membership. */
  cell: Cell | undefined = undefined;
  /** Serves readers that only check if there are members. */
  any: Cell | undefined = undefined;
  watchers: Set<BucketWatcher> | undefined = undefined;
  /** The members in order, as of before {@link #moved}; created at first use. */
  #sorted: readonly string[] | undefined = undefined;
  /** Members that were added or removed since {@link #sorted} was made. */
  #moved: Set<string> | undefined = undefined;

  constructor(readonly key: string) {}

  /** True if there is a cell or a watcher. */
  get isAskedFor(): boolean {
    return this.cell !== undefined || this.any !== undefined || this.watchers !== undefined;
  }

  /** True if a sorted list is kept. */
  get isSorted(): boolean {
    return this.#sorted !== undefined;
  }

  addWatcher(watcher: BucketWatcher): void {
    (this.watchers ??= new Set()).add(watcher);
  }

  removeWatcher(watcher: object): void {
    this.watchers?.delete(watcher as BucketWatcher);
    if (this.watchers?.size === 0) this.watchers = undefined;
  }

  /** Records an added or removed member for the sorted list. */
  moved(member: string): void {
    if (this.#sorted === undefined) return;
    const moved = this.#moved ??= new Set();
    moved.add(member);
    if (moved.size * MEMBERS_A_MOVE > this.#sorted.length) this.#sorted = this.#moved = undefined;
  }

  /** The members in order, frozen; the same array while the membership is the same. */
  sortedMembers(): readonly string[] {
    const sorted = this.#sorted;
    const moved = this.#moved;
    if (sorted !== undefined && moved === undefined) return sorted;
    const next = sorted !== undefined && moved !== undefined
      ? movedIn(sorted, moved, this.members)
      : [...this.members.keys()].sort();
    this.#moved = undefined;
    return this.#sorted = Object.freeze(next);
  }
}

function movedIn(
  sorted: readonly string[],
  moved: ReadonlySet<string>,
  members: ReadonlyMap<string, number>,
): string[] {
  const next = sorted.slice();
  for (const member of moved) {
    const at = lowerBound(next, member);
    const listed = next[at] === member;
    if (members.has(member) === listed) continue;
    if (listed) next.splice(at, 1);
    else next.splice(at, 0, member);
  }
  return next;
}
