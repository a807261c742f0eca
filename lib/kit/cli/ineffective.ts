/**
 * Warns once about each given flag without effect, with the reason.
 *
 * @param given the given flags
 * @param reasons reason by flag name, without dashes
 * @param warn writes the warning, for example a logger's `warn`
 */
export function warnIneffective(
  given: ReadonlySet<string>,
  reasons: Readonly<Record<string, string>>,
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
): void {
  for (const [flag, reason] of Object.entries(reasons)) {
    if (given.has(flag)) warn("this flag has no effect yet", { flag: `--${flag}`, reason });
  }
}
