/**
 * The change log of a collection, and the byte limit of all logs together.
 *
 * @module
 */
import type { LogEntry, Resource } from "../api/collections.ts";
import { RevisionLog } from "../cells/mod.ts";

/** Revisions for which a summary is kept; sessions are rarely at more. */
const SUMMARIES = 32;

/** Bytes of the entries of all logs of a graph, with the earlier resources they hold. */
export interface LogBytes {
  bytes: number;
}

/** The changes of a collection. */
export class ChangeLog extends RevisionLog<LogEntry> {
  readonly #total: LogBytes;
  readonly #summaries: Map<number, ReadonlyMap<string, Resource | undefined>> = new Map();

  constructor(limit: number, total: LogBytes) {
    super(limit);
    this.#total = total;
  }

  override reset(revision: number): void {
    while (this.oldest !== undefined) this.drop();
    super.reset(revision);
    this.#summaries.clear();
  }

  override append(entry: LogEntry): void {
    if (this.#summaries.size > 0) this.#summaries.clear();
    this.#total.bytes += weight(entry);
    super.append(entry);
  }

  /** Drops the entries of a revision and those before it. */
  trim(revision: number): void {
    this.#summaries.clear();
    while (this.oldest !== undefined && this.oldest <= revision) this.drop();
  }

  protected override drop(): LogEntry {
    const oldest = super.drop();
    this.#total.bytes -= weight(oldest);
    return oldest;
  }

  /**
   * The resource at `revision` of each name that has changed since (changed back
   * included); `undefined` when the log does not reach back. Shared: callers must not write to it.
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

/**
 * Size of an entry with its resource and buffer, without the content, measured by a heap snapshot.
 */
const ENTRY_BYTES = 400;

function weight({ before }: LogEntry): number {
  return ENTRY_BYTES + (before?.bytes.length ?? 0);
}

/**
 * Drops the oldest revisions of all logs until they hold no more bytes than
 * allowed. Entries later than `keep` stay: sessions will read them next.
 */
export function trimLogs(
  logs: readonly ChangeLog[],
  total: LogBytes,
  { most, keep }: { readonly most: number; readonly keep: number },
): void {
  while (total.bytes > most) {
    const oldest = logs.reduce((least, log) => Math.min(least, log.oldest ?? Infinity), Infinity);
    if (oldest > keep) return;
    for (const log of logs) log.trim(oldest);
  }
}
