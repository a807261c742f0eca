/**
 * Sets of keys, as far as a proxy must be able to use them: it refuses a whole
 * listener for a set without a single good key. What is a good one is judged as the
 * proxy judges it; a test asks both.
 *
 * @module
 */
import { CURVES, isOnCurve } from "./curves.ts";

type Key = Readonly<Record<string, unknown>>;

/** Whether a JSON Web Key Set holds a key that tokens can be verified with. */
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

/** Sizes of moduli that the proxy's cryptography works with, bits. */
const MODULUS_BITS = { least: 512, most: 16_384 } as const;

/** Exponents that it takes. */
const EXPONENTS: readonly (bigint | undefined)[] = [3n, 65_537n];

function isRsa(modulus: bigint | undefined, exponent: bigint | undefined): boolean {
  if (modulus === undefined || modulus % 2n === 0n || !EXPONENTS.includes(exponent)) return false;
  const bits = modulus.toString(2).length;
  return bits >= MODULUS_BITS.least && bits <= MODULUS_BITS.most;
}

/** Which curve an algorithm signs on. A key that names neither is on the first. */
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

/** What a text in base64url stands for; `undefined` for what is none. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return Uint8Array.fromBase64(value, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}

/** The number whose bytes a text stands for, the highest first. */
function numberOf(value: unknown): bigint | undefined {
  const bytes = bytesOf(value);
  return bytes === undefined || bytes.length === 0 ? undefined : BigInt(`0x${bytes.toHex()}`);
}
