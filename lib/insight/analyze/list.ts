/**
 * The list of analyzers.
 *
 * @module
 */
import { ABSENT_CODES } from "./absent_codes.ts";
import { type Code, CODES } from "./codes.ts";
import { ANALYZERS, DOCUMENT_ANALYZERS } from "./registry.ts";

interface Listed {
  readonly kinds: readonly string[];
  readonly codes: readonly Code[];
  readonly onRequest?: boolean;
}

/**
 * All analyzers as text: `* name:` and below it what it reads and finds. Codes without analyzer follow,
 * with the reasons.
 */
export function analyzerList(): string {
  const byName = Map.groupBy<string, Listed & { readonly name: string }>(
    [...ANALYZERS, ...DOCUMENT_ANALYZERS],
    ({ name }) => name,
  );
  const listed = [...byName].sort(([a], [b]) => a < b ? -1 : 1).map(([name, parts]) => {
    const kinds = [...new Set(parts.flatMap((one) => one.kinds))].join(", ");
    const codes = [...new Set(parts.flatMap((one) => one.codes))].sort();
    const when = parts.every(({ onRequest }) => onRequest === true) ? " With --verbose only." : "";
    const found = codes.map((code) => `${code} ${CODES[code].name}`).join(", ");
    return `* ${name}:\n    Reads ${kinds}; finds ${found}.${when}\n`;
  }).join("");
  const absent = ABSENT_CODES.map(({ code, name, reason }) =>
    `* ${code} ${name}: ${reason.replaceAll("`", "")}.\n`
  ).join("");
  return `${listed}\nNo analyzer finds these codes:\n${absent}`;
}
