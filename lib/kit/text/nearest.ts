/**
 * Suggestions for misspelt names.
 *
 * @module
 */

/** The name nearest to a misspelt one, if it is near enough. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // One mistake in three letters is near enough.
  let bound = Math.max(1, Math.floor(word.length / 3)) + 1;
  const lower = word.toLowerCase();
  for (const name of names) {
    if (Math.abs(name.length - word.length) >= bound) continue;
    const found = distance(lower, name.toLowerCase());
    if (found < bound) [best, bound] = [name, found];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into another. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
