/**
 * Suggestions for unknown names.
 *
 * @module
 */

/** Maximum number of suggested names. */
const OFFERED = 5;

/**
 * Returns the names nearest to a missing one, by the pairs of letters that they share. Names that
 * contain the missing one are first.
 */
export function nearNames(names: Iterable<string>, wanted: string): string[] {
  const pairs = pairsOf(wanted);
  const part = wanted.toLowerCase();
  const scoreOf = (name: string) =>
    likeness(pairsOf(name), pairs) + (part !== "" && name.toLowerCase().includes(part) ? 1 : 0);
  return [...names].map((name) => ({ name, score: scoreOf(name) }))
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, OFFERED)
    .map(({ name }) => name);
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  const lower = ` ${text.toLowerCase()} `;
  for (let i = 0; i + 1 < lower.length; i++) pairs.add(lower.slice(i, i + 2));
  return pairs;
}

/** Returns the share of common pairs, from 0 to 1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / (a.size + b.size);
}
