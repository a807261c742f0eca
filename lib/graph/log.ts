/**
 * What happened, by revision, as far back as the limit allows.
 *
 * @module
 */
import type { LogEntry, Resource } from "./api.ts";

/** Positions for which the summary is kept; sessions are seldom at more. */
const SUMMARIES = 32;

/** A trimmed log of lines that carry a revision, which never falls from line to line. */
export class RevisionLog<T extends { readonly revision: number }> {
  /** A trimmed line is gone at once, so that what it held is free; its place is cut off now and then. */
  protected entries: (T | undefined)[] = [];
  /** Entries before this position are trimmed. */
  #head = 0;
  /** Earliest revision the log can tell what came after. */
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

  /** Trims the oldest line. */
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

  /** Revision of the oldest line that is left. */
  get oldest(): number | undefined {
    return this.entries[this.#head]?.revision;
  }

  /** Whether the log reaches back to a revision. */
  reaches(revision: number): boolean {
    return revision >= this.#start;
  }

  /** Entries later than `revision`, oldest first; `undefined` when some of them were trimmed. */
  since(revision: number): readonly T[] | undefined {
    // Trimmed places come before all that is left.
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

/** Bytes that the lines of all logs of a graph take, with the earlier resources they hold. */
export interface Held {
  bytes: number;
}

/** What changed in a collection. */
export class ChangeLog extends RevisionLog<LogEntry> {
  readonly #held: Held;
  readonly #summaries: Map<number, ReadonlyMap<string, Resource | undefined>> = new Map();

  constructor(limit: number, held: Held) {
    super(limit);
    this.#held = held;
  }

  override reset(revision: number): void {
    while (this.oldest !== undefined) this.drop();
    super.reset(revision);
    this.#summaries.clear();
  }

  override append(entry: LogEntry): void {
    if (this.#summaries.size > 0) this.#summaries.clear();
    this.#held.bytes += weight(entry);
    super.append(entry);
  }

  /** Trims the lines of a revision and those before it. */
  trim(revision: number): void {
    this.#summaries.clear();
    while (this.oldest !== undefined && this.oldest <= revision) this.drop();
  }

  protected override drop(): LogEntry {
    const oldest = super.drop();
    this.#held.bytes -= weight(oldest);
    return oldest;
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
    for (let i = this.after(revision); i < this.entries.length; i++) {
      const { name, before } = this.entries[i]!;
      if (!summary.has(name)) summary.set(name, before);
    }
    if (this.#summaries.size >= SUMMARIES) this.#summaries.clear();
    this.#summaries.set(revision, summary);
    return summary;
  }
}

/** A line, the resource it holds and that one's buffer take about this many bytes beside the content, by a heap snapshot. */
const LINE_BYTES = 400;

function weight({ before }: LogEntry): number {
  return LINE_BYTES + (before?.bytes.length ?? 0);
}

/**
 * Trims the oldest revisions off all logs until no more bytes are held than
 * allowed. What came after `keep` stays: somebody is about to ask for it.
 */
export function trimLogs(logs: readonly ChangeLog[], held: Held, most: number, keep: number): void {
  while (held.bytes > most) {
    const oldest = logs.reduce((least, log) => Math.min(least, log.oldest ?? Infinity), Infinity);
    if (oldest > keep) return;
    for (const log of logs) log.trim(oldest);
  }
}
