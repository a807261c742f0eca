import { MeshError } from "./error.ts";

/**
 * Canonical JSON: keys sorted by code unit, no white space, `undefined` members omitted, `-0` as
 * `0`, bigints as digits, bytes as base64. Equal values give equal texts, for comparing and
 * hashing.
 *
 * @throws {MeshError} `json-unsupported` on functions, symbols, NaN and infinities.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw unsupported(String(value));
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? "null" : objectJson(value);
    default:
      throw unsupported(typeof value);
  }
}

function objectJson(value: object): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => item === undefined ? "null" : canonicalJson(item)).join(",")}]`;
  }
  if (value instanceof Uint8Array) return JSON.stringify(value.toBase64());
  const members = value as Record<string, unknown>;
  const parts: string[] = [];
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${parts.join(",")}}`;
}

function unsupported(what: string): MeshError {
  return new MeshError("json-unsupported", `a value of kind ${what} has no canonical JSON`);
}
