/**
 * Checks that a JSON Web Key Set has a key that Envoy can use. Envoy rejects a whole listener if a
 * set has no usable key. The check follows Envoy's; a test compares the two.
 *
 * @module
 */
import { CURVES, isOnCurve } from "./curves.ts";

type Key = Readonly<Record<string, unknown>>;

/** Reports if a JSON Web Key Set has a key that can verify tokens. */
export function hasUsableKey(jwks: string): boolean {
  try {
    const value: unknown = JSON.parse(jwks);
    const keys = isRecord(value) ? value.keys : undefined;
    return Array.isArray(keys) && keys.some((key) => isRecord(key) && isUsable(key));
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Key {
  return typeof value === "object" && value !== null;
}

function isUsable(key: Key): boolean {
  const alg = typeof key.alg === "string" ? key.alg : "";
  switch (key.kty) {
    case "RSA":
      return (alg === "" || /^[RP]S/.test(alg)) && isRsa(numberOf(key.n), numberOf(key.e));
    case "EC":
      return isEc(key, alg);
    case "OKP":
      return (alg === "" || alg === "EdDSA") && key.crv === "Ed25519" &&
        bytesOf(key.x)?.length === ED25519_BYTES;
    case "oct":
      return (alg === "" || alg.startsWith("HS")) && (bytesOf(key.k)?.length ?? 0) > 0;
    default:
      return false;
  }
}

const ED25519_BYTES = 32;

/** RSA modulus sizes that Envoy's cryptography accepts, in bits. */
const MODULUS_BITS = { least: 512, most: 16_384 } as const;

/** RSA exponents that Envoy's cryptography accepts. */
const EXPONENTS: readonly (bigint | undefined)[] = [3n, 65_537n];

function isRsa(modulus: bigint | undefined, exponent: bigint | undefined): boolean {
  if (modulus === undefined || modulus % 2n === 0n || !EXPONENTS.includes(exponent)) return false;
  const bits = modulus.toString(2).length;
  return bits >= MODULUS_BITS.least && bits <= MODULUS_BITS.most;
}

/** The curve of each signing algorithm. A key without algorithm and curve uses the first one. */
const CURVE_OF: Readonly<Record<string, string>> = {
  "": "P-256",
  ES256: "P-256",
  ES384: "P-384",
  ES512: "P-521",
};

function isEc(key: Key, alg: string): boolean {
  const byAlgorithm = CURVE_OF[alg];
  const named = typeof key.crv === "string" && key.crv !== "" ? key.crv : byAlgorithm;
  if (byAlgorithm === undefined || (alg !== "" && named !== byAlgorithm)) return false;
  const curve = CURVES[named ?? ""];
  const [x, y] = [numberOf(key.x), numberOf(key.y)];
  return curve !== undefined && x !== undefined && y !== undefined && isOnCurve(curve, x, y);
}

/** Decodes base64url; `undefined` for text that is not base64url. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return Uint8Array.fromBase64(value, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}

/** Decodes base64url as a big-endian number. */
function numberOf(value: unknown): bigint | undefined {
  const bytes = bytesOf(value);
  return bytes === undefined || bytes.length === 0 ? undefined : BigInt(`0x${bytes.toHex()}`);
}
