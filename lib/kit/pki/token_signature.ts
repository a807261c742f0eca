/**
 * Signatures of JSON Web Tokens (RFC 7515) with keys of a key set (RFC 7517).
 *
 * @module
 */
import { constants, createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import { Buffer } from "node:buffer";

/** A signed text, and the key with which the signature is checked. */
export interface SignedText {
  /** The algorithm of the token's header, for example `RS256`. */
  readonly algorithm: string;
  /** A key of a key set. */
  readonly key: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Type of the key of an algorithm, by the first two letters of the algorithm. */
const KEY_TYPES: Readonly<Record<string, string>> = {
  RS: "RSA",
  PS: "RSA",
  ES: "EC",
  HS: "oct",
  Ed: "OKP",
};

/** Algorithms of tokens that are known. */
const ALGORITHM = /^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA)$/;

/** Reports if the key made the signature; a key that cannot be used made none. */
export function hasSigned({ algorithm, key, signed, signature }: SignedText): boolean {
  const family = algorithm.slice(0, 2);
  if (!ALGORITHM.test(algorithm) || key.kty !== KEY_TYPES[family]) return false;
  const hash = `sha${algorithm.slice(2)}`;
  try {
    if (family === "HS") {
      const secret = Buffer.from(String(key.k ?? ""), "base64url");
      const wanted = createHmac(hash, secret).update(signed).digest();
      return wanted.length === signature.length && timingSafeEqual(wanted, signature);
    }
    const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
    return verify(
      family === "Ed" ? null : hash,
      Buffer.from(signed),
      {
        key: publicKey,
        ...(family === "ES" ? { dsaEncoding: "ieee-p1363" as const } : {}),
        ...(family === "PS"
          ? {
            padding: constants.RSA_PKCS1_PSS_PADDING,
            saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
          }
          : {}),
      },
      signature,
    );
  } catch {
    return false;
  }
}
