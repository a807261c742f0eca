/**
 * Logs of entries in the order of their revisions, trimmed to a limit.
 *
 * @module
 */
/** A log of entries whose revisions never decrease; beyond the limit the oldest are dropped. */
export class RevisionLog<T extends { readonly revision: number }> {
  /** A dropped entry is set to `undefined` at once, so that its memory is free; the array is cut from time to time. */
  protected entries: (T | undefined)[] = [];
  /** Entries before this position are dropped. */
  #head = 0;
  /** Earliest revision of which all later entries are kept. */
  #start = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Forgets everything: the log begins at this revision. */
  reset(revision: number): void {
    this.entries = [];
    this.#head = 0;
    this.#start = revision;
  }

  append(entry: T): void {
    this.entries.push(entry);
    if (this.entries.length - this.#head <= this.#limit) return;
    this.drop();
  }

  /** Drops the oldest entry. */
  protected drop(): T {
    const oldest = this.entries[this.#head]!;
    this.entries[this.#head++] = undefined;
    this.#start = oldest.revision;
    if (this.#head > this.#limit) {
      this.entries.splice(0, this.#head);
      this.#head = 0;
    }
    return oldest;
  }

  /** Revision of the oldest entry kept. */
  get oldest(): number | undefined {
    return this.entries[this.#head]?.revision;
  }

  /** Reports if all entries later than a revision are kept. */
  reaches(revision: number): boolean {
    return revision >= this.#start;
  }

  /** Entries later than `revision`, oldest first; `undefined` when some of them were dropped. */
  since(revision: number): readonly T[] | undefined {
    // Dropped positions come before all entries that are kept.
    return this.reaches(revision) ? this.entries.slice(this.after(revision)) as T[] : undefined;
  }

  /** The first entry later than `revision`, if the log reaches back so far. */
  next(revision: number): T | undefined {
    return this.reaches(revision) ? this.entries[this.after(revision)] : undefined;
  }

  /** Position of the first entry later than `revision`. */
  protected after(revision: number): number {
    let low = this.#head;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entries[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
