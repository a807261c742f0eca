/**
 * Removal of secrets from texts and objects of a report. Pure.
 *
 * @module
 */

const MARK = "[redacted]";

/** Secrets in texts: private keys, tokens of requests, JSON web tokens, passwords in URLs. */
const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [
    /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    `-----BEGIN $1----- ${MARK}`,
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{4,}/gi, `$1 ${MARK}`],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, MARK],
  [/(\w+:\/\/[^\s/:@]+:)[^\s/@]+@/g, `$1${MARK}@`],
  [
    /(["']?(?:password|passwd|client[_-]?secret|api[_-]?key)["']?\s*[:=]\s*["']?)(?!\[redacted)[^\s"',}]+/gi,
    `$1${MARK}`,
  ],
];

/** A text without secrets. */
export function redacted(text: string): string {
  return SECRETS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text);
}

/** A Secret whose values are replaced by their sizes. */
export function redactedSecret<T>(object: T): T {
  const fields = object as { readonly data?: unknown; readonly stringData?: unknown };
  return {
    ...object,
    ...fields.data === undefined ? {} : { data: sizesOf(fields.data) },
    ...fields.stringData === undefined ? {} : { stringData: sizesOf(fields.stringData) },
  };
}

function sizesOf(data: unknown): Record<string, string> {
  const entries = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, `[redacted, ${String(value).length} characters]`]),
  );
}
