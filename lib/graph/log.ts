/**
 * What changed in a collection, by revision, as far back as the limit allows.
 *
 * @module
 */
import type { LogEntry, Resource } from "./api.ts";

/** Positions for which the summary is kept; sessions are seldom at more. */
const SUMMARIES = 32;

/** A trimmed log. */
export class ChangeLog {
  #entries: LogEntry[] = [];
  /** Entries before this position are trimmed; they are cut off now and then. */
  #head = 0;
  /** Earliest revision the log can tell the changes since. */
  #start = 0;
  readonly #limit: number;
  readonly #summaries: Map<number, ReadonlyMap<string, Resource | undefined>> = new Map();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Forgets everything: the log begins at this revision. */
  reset(revision: number): void {
    this.#entries = [];
    this.#head = 0;
    this.#start = revision;
    this.#summaries.clear();
  }

  append(entry: LogEntry): void {
    this.#summaries.clear();
    this.#entries.push(entry);
    if (this.#entries.length - this.#head <= this.#limit) return;
    this.#start = this.#entries[this.#head++]!.revision;
    if (this.#head > this.#limit) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
  }

  /** Whether the log reaches back to a revision. */
  reaches(revision: number): boolean {
    return revision >= this.#start;
  }

  /** Entries later than `revision`, oldest first; `undefined` when some of them were trimmed. */
  since(revision: number): readonly LogEntry[] | undefined {
    return this.reaches(revision) ? this.#entries.slice(this.#after(revision)) : undefined;
  }

  /**
   * What stood at `revision` under each name that has changed since (changed back
   * included); `undefined` when the log does not reach back. Shared: not to be written to.
   */
  before(revision: number): ReadonlyMap<string, Resource | undefined> | undefined {
    if (!this.reaches(revision)) return undefined;
    const known = this.#summaries.get(revision);
    if (known !== undefined) return known;
    const summary = new Map<string, Resource | undefined>();
    for (let i = this.#after(revision); i < this.#entries.length; i++) {
      const { name, before } = this.#entries[i]!;
      if (!summary.has(name)) summary.set(name, before);
    }
    if (this.#summaries.size >= SUMMARIES) this.#summaries.clear();
    this.#summaries.set(revision, summary);
    return summary;
  }

  /** Position of the first entry later than `revision`. */
  #after(revision: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
