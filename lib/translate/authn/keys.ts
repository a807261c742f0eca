/**
 * Sets of keys, as far as a proxy must be able to use them: it refuses a whole
 * listener for a set without a single good key.
 *
 * @module
 */

/** Bytes of a coordinate, by curve. */
const CURVES: Readonly<Record<string, number>> = { "P-256": 32, "P-384": 48, "P-521": 66 };

/** Whether a JSON Web Key Set holds a key that tokens can be verified with. */
export function hasUsableKey(jwks: string): boolean {
  try {
    const value: unknown = JSON.parse(jwks);
    const keys = isRecord(value) ? value.keys : undefined;
    return Array.isArray(keys) && keys.some(isUsable);
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isUsable(key: unknown): boolean {
  if (!isRecord(key)) return false;
  switch (key.kty) {
    case "RSA":
      return bytesOf(key.n) >= 128 && bytesOf(key.e) >= 1;
    case "EC": {
      const size = typeof key.crv === "string" ? CURVES[key.crv] : undefined;
      return size !== undefined && bytesOf(key.x) === size && bytesOf(key.y) === size;
    }
    case "OKP":
      return key.crv === "Ed25519" && bytesOf(key.x) === 32;
    case "oct":
      return bytesOf(key.k) >= 1;
    default:
      return false;
  }
}

/** How many bytes a text in base64url stands for; 0 for what is none. */
function bytesOf(value: unknown): number {
  if (typeof value !== "string" || !/^[-_A-Za-z0-9]+={0,2}$/.test(value)) return 0;
  return Math.floor((value.replace(/=+$/, "").length * 3) / 4);
}
