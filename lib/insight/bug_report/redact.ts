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

/** PEM in base64, as objects and dumps have it: `-----BEGIN`. */
const ENCODED_PEM = /LS0tLS1CRUdJTi[\w+/=-]*/g;
/** An environment variable of a container in YAML or JSON with a name that stands for a secret. */
const SECRET_VARIABLE =
  /(["']?name["']?\s*:\s*["']?[\w-]*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY)[\w-]*["']?,?\s+["']?value["']?\s*:\s*)(?!\[redacted)("[^"\n]*"|'[^'\n]*'|[^\s,}]+)/gi;

/** A text without secrets. */
export function redacted(text: string): string {
  return SECRETS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text)
    .replace(ENCODED_PEM, (encoded) => isEncodedKey(encoded) ? MARK : encoded)
    .replace(SECRET_VARIABLE, `$1"${MARK}"`);
}

/** True for a private key in base64; lengths that base64 cannot have count as one. */
function isEncodedKey(encoded: string): boolean {
  try {
    return atob(encoded.replaceAll("-", "+").replaceAll("_", "/")).includes("PRIVATE KEY");
  } catch {
    return true;
  }
}

/** The annotation in which client-side apply keeps the whole object, with its data. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** A Secret whose values are replaced by their sizes, without copies of them in annotations. */
export function redactedSecret<T>(object: T): T {
  const fields = object as {
    readonly data?: unknown;
    readonly stringData?: unknown;
    readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  };
  const annotations = Object.entries(fields.metadata?.annotations ?? {})
    .filter(([name]) => name !== LAST_APPLIED);
  return {
    ...object,
    ...annotations.length === 0 && fields.metadata?.annotations === undefined
      ? {}
      : { metadata: { ...fields.metadata, annotations: Object.fromEntries(annotations) } },
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
