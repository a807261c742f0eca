/**
 * Warns once about flags that were given and do nothing yet, each with its reason. A flag that is
 * accepted in silence would be believed.
 *
 * @param given what the command line gives
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
