/** Maximum of edits of a suggestion. */
const NEAR = 2;

/** Suggestions for `word`, nearest first. */
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

/** Edits (insert, delete, replace, swap two neighbours) between two words, row by row. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swaps ? cell(before, j - 2) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, cell(row, j) + 1, cell(next, j - 1) + 1));
    }
    before = row;
    row = next;
  }
  return cell(row, b.length);
}

function cell(row: readonly number[], at: number): number {
  return row[at] ?? Infinity;
}
