/**
 * Keys of derived tables.
 *
 * @module
 */

/** Splits a key of parts joined by `|`; the last part takes what is left. */
export function splitKey(key: string, parts: number): string[] {
  const out: string[] = [];
  let from = 0;
  for (let i = 1; i < parts; i++) {
    const bar = key.indexOf("|", from);
    out.push(key.slice(from, bar));
    from = bar + 1;
  }
  out.push(key.slice(from));
  return out;
}
