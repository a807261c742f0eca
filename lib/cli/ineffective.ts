/**
 * Warns once about each given flag without effect, with the reason.
 *
 * @param given the given flags
 * @param inert reason by flag name, without dashes
 * @param warn writes the warning, for example a logger's `warn`
 */
export function warnIneffective(
  given: ReadonlySet<string>,
  inert: Readonly<Record<string, string>>,
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
): void {
  for (const [flag, reason] of Object.entries(inert)) {
    if (given.has(flag)) warn("this flag has no effect yet", { flag: `--${flag}`, reason });
  }
}
