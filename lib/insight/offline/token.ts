/**
 * Tokens of questions. Explanations take their signature as valid.
 *
 * @module
 */

/** A bearer credential with claims and without signature. */
export function bearerOf(claims: Readonly<Record<string, unknown>>): string {
  const payload = new TextEncoder().encode(JSON.stringify(claims))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  return `Bearer e30.${payload}.c2ln`;
}
