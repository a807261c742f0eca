/**
 * Rows of `/debug/syncz` in comparisons.
 *
 * @module
 */

/** The answer without the ages of the rows, which grow between two answers. */
export function withoutAges(answer: unknown): unknown {
  if (!Array.isArray(answer)) return answer;
  return answer.map((row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !name.endsWith("_age")))
  );
}
