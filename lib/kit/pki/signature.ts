/**
 * Checking the signature of a certificate or CSR.
 *
 * @module
 */
import { bitBytes, children, type Der, oidText, readDer, TAG } from "./der.ts";
import { pkiError } from "./error.ts";
import { type KeyKind, kindOfSpki } from "./key.ts";

/** Signature algorithms that are accepted (RFC 4055, RFC 5758). SHA-1 and MD5 are not. */
const ALGORITHMS: ReadonlyMap<string, { readonly type: KeyKind["type"]; readonly hash: string }> =
  new Map([
    ["1.2.840.113549.1.1.11", { type: "rsa", hash: "SHA-256" }],
    ["1.2.840.113549.1.1.12", { type: "rsa", hash: "SHA-384" }],
    ["1.2.840.113549.1.1.13", { type: "rsa", hash: "SHA-512" }],
    ["1.2.840.10045.4.3.2", { type: "ecdsa", hash: "SHA-256" }],
    ["1.2.840.10045.4.3.3", { type: "ecdsa", hash: "SHA-384" }],
    ["1.2.840.10045.4.3.4", { type: "ecdsa", hash: "SHA-512" }],
  ]);

/**
 * Reports if a key signed a structure of signed part, algorithm and signature.
 *
 * @param signed DER of a certificate or a CSR
 * @param spki the signer's public key
 * @throws MeshError `pki-signature` for algorithms that are not accepted, `pki-malformed` for a key
 * that cannot exist, such as a point that is not on its curve
 */
export async function isSignedBy(
  signed: Uint8Array,
  spki: Uint8Array,
  what: string,
): Promise<boolean> {
  const [part, algorithm, signature] = children(readDer(signed, what), what);
  if (!part || !algorithm || !signature) throw pkiError(what, "it is not signed");
  const [oid] = children(algorithm, what);
  const found = oid && ALGORITHMS.get(oidText(oid, what));
  if (!found) {
    throw pkiError(what, "its signature algorithm is not accepted", "pki-signature", {
      remedy: "Sign with SHA-256 or stronger, by RSA (PKCS #1) or ECDSA.",
    });
  }
  const kind = kindOfSpki(spki, what);
  if (kind.type !== found.type) return false;
  const algorithmName = kind.type === "rsa"
    ? { name: "RSASSA-PKCS1-v1_5", hash: found.hash }
    : { name: "ECDSA", namedCurve: kind.curve === "P256" ? "P-256" : "P-384", hash: found.hash };
  const bytes = bitBytes(signature, what);
  const raw = kind.type === "rsa" ? bytes : plainSignature(bytes, kind.curve === "P256" ? 32 : 48);
  if (!raw) return false;
  try {
    const key = await crypto.subtle.importKey("spki", new Uint8Array(spki), algorithmName, false, [
      "verify",
    ]);
    return await crypto.subtle.verify(
      algorithmName,
      key,
      new Uint8Array(raw),
      new Uint8Array(part.raw),
    );
  } catch {
    // Some keys are refused when they are imported, others when they are used.
    throw pkiError(what, "the public key cannot be used", "pki-malformed");
  }
}

/** The two numbers of an ECDSA signature, each in `size` bytes; `undefined` for a malformed one. */
function plainSignature(bytes: Uint8Array, size: number): Uint8Array | undefined {
  let parts: Der[];
  try {
    parts = children(readDer(bytes, "a signature"), "a signature");
  } catch {
    return undefined;
  }
  if (parts.length !== 2) return undefined;
  const plain = new Uint8Array(size * 2);
  for (const [i, { tag, content }] of parts.entries()) {
    const number = content[0] === 0 ? content.subarray(1) : content;
    if (tag !== TAG.integer || number.length > size) return undefined;
    plain.set(number, size * (i + 1) - number.length);
  }
  return plain;
}
