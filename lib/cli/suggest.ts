/** Names at most this many edits away are taken for misspelt. */
const NEAR = 2;

/** The names that `word` may have been meant for, nearest first. */
export function suggest(word: string, names: readonly string[]): string[] {
  const lower = word.toLowerCase();
  return names
    .map((name) => ({ name, edits: distance(lower, name.toLowerCase()) }))
    .filter(({ name, edits }) =>
      edits <= Math.min(NEAR, Math.floor(name.length / 3)) ||
      word.length > 1 && name.toLowerCase().startsWith(lower)
    )
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
}

/** Edits (insert, delete, replace) between two words, by rows. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
