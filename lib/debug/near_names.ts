/**
 * Suggestions for unknown names.
 *
 * @module
 */

/** Maximum number of suggested names. */
const OFFERED = 5;

/** Returns the names nearest to a missing one, by the pairs of letters that they share. */
export function nearNames(names: Iterable<string>, wanted: string): string[] {
  const pairs = pairsOf(wanted);
  return [...names].map((name) => ({ name, score: likeness(pairsOf(name), pairs) }))
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
