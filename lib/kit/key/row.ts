/**
 * References to rows of input tables and cells of derived tables, as text: for
 * provenance, logs and debug pages.
 *
 * @module
 */

/** A row or a cell. */
export interface RowRef {
  /** The table's name; it contains no `/`. */
  readonly table: string;
  /** The text of the key. */
  readonly key: string;
}

/** The text of a reference: `table/key`, for an object `Kind/namespace/name`. */
export function rowRef({ table, key }: RowRef): string {
  return `${table}/${key}`;
}

/** Parses a text of {@link rowRef}; `undefined` for a text without `/`. */
export function parseRowRef(ref: string): RowRef | undefined {
  const slash = ref.indexOf("/");
  return slash < 0 ? undefined : { table: ref.slice(0, slash), key: ref.slice(slash + 1) };
}

/**
 * A row as people read it: `table key`.
 *
 * @param most longer texts are shortened to this number of characters
 */
export function showRow({ table, key }: RowRef, most: number = Infinity): string {
  return shorten(`${table} ${key}`, most);
}

/** Shortens the text of a key; keys of proxy classes are whole documents. */
export function shorten(key: string, most: number): string {
  return key.length <= most ? key : `${key.slice(0, most - 1)}…`;
}
