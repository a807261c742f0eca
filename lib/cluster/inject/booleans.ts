/** Spellings of a boolean in an annotation. */
const SPELLINGS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((one) => [one, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((one) => [one, false] as const),
]);

/** The boolean that a text spells: `true`, `True`, `TRUE`, `t`, `T`, `1` and their opposites. */
export function booleanOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : SPELLINGS.get(text);
}
