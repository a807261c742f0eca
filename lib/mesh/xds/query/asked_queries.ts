/**
 * The debug queries of one stream.
 *
 * @module
 */

/** A debug query that was answered. */
export interface AnsweredQuery {
  /** Empty while the answer is computed. */
  readonly nonce: string;
  readonly names: readonly string[];
}

/** The latest debug query of each type URL. */
export class AskedQueries {
  readonly #queries = new Map<string, AnsweredQuery>();

  /** Types that were asked for. */
  get size(): number {
    return this.#queries.size;
  }

  /** The latest query of a type. */
  of(typeUrl: string): AnsweredQuery | undefined {
    return this.#queries.get(typeUrl);
  }

  /** A query is about to be answered. */
  asked(typeUrl: string, names: readonly string[]): void {
    this.#queries.set(typeUrl, { nonce: "", names });
  }

  /** A query was answered. */
  answered(typeUrl: string, query: AnsweredQuery): void {
    this.#queries.set(typeUrl, query);
  }
}
