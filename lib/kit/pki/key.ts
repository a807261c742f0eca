/**
 * Keys: RSA of 2048 to 4096 bits, ECDSA on the curves P-256 and P-384. Nothing else is used.
 *
 * @module
 */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { Buffer } from "node:buffer";
import { bitBytes, children, integerBits, oidText, readDer } from "./der.ts";
import { pkiError } from "./error.ts";
import { encodePem, pemBlocks } from "./pem.ts";

/** Curves of ECDSA keys. */
export type Curve = "P256" | "P384";

/** Kind and size of a key. */
export type KeyKind =
  | { readonly type: "rsa"; readonly bits: number }
  | { readonly type: "ecdsa"; readonly curve: Curve };

/** A key pair. It has no text form but {@link privateKeyPem}; logs and JSON show `[redacted]`. */
export interface KeyPair {
  readonly kind: KeyKind;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The public key, DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  toJSON(): string;
}

/** Form of a private key in PEM: PKCS #8, or the older forms PKCS #1 (RSA) and SEC 1 (ECDSA). */
export type KeyForm = "pkcs8" | "traditional";

/** The smallest and the largest RSA key, bits. */
export const RSA_BITS: { readonly least: number; readonly most: number } = {
  least: 2048,
  most: 4096,
};

const CURVES: Readonly<Record<Curve, { readonly name: string; readonly oid: string }>> = {
  P256: { name: "P-256", oid: "1.2.840.10045.3.1.7" },
  P384: { name: "P-384", oid: "1.3.132.0.34" },
};
const OID_RSA = "1.2.840.113549.1.1.1";
const OID_EC = "1.2.840.10045.2.1";
const REMEDY = "Use RSA with 2048 to 4096 bits, or ECDSA on P-256 or P-384.";

/** Name and parameters for WebCrypto. */
type Algorithm = { name: string; hash: string } | { name: string; namedCurve: string };

function algorithmOf(kind: KeyKind): Algorithm {
  return kind.type === "rsa"
    ? { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
    : { name: "ECDSA", namedCurve: CURVES[kind.curve].name };
}

/** The algorithm with which a key signs: SHA-384 on the curve P-384, else SHA-256. */
export function signingAlgorithm(kind: KeyKind): Algorithm & { hash: string } {
  const hash = kind.type === "ecdsa" && kind.curve === "P384" ? "SHA-384" : "SHA-256";
  return { ...algorithmOf(kind), hash };
}

/** Makes a key pair. Throws `MeshError` `pki-weak-key` for RSA sizes that are not allowed. */
export async function generateKey(kind: KeyKind): Promise<KeyPair> {
  checkKind(kind, "the key to generate");
  const algorithm = kind.type === "rsa"
    ? {
      ...algorithmOf(kind),
      modulusLength: kind.bits,
      publicExponent: new Uint8Array([1, 0, 1]),
    }
    : algorithmOf(kind);
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    algorithm as RsaHashedKeyGenParams,
    true,
    ["sign", "verify"],
  );
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  return pair(kind, privateKey, publicKey, spki);
}

/**
 * Reads a private key of PKCS #8, PKCS #1 or SEC 1.
 *
 * @param what the key, for errors; for example its file
 * @throws MeshError `pki-malformed`, `pki-key-unsupported`, `pki-weak-key`; never with key material
 */
export async function readPrivateKey(pem: string, what: string): Promise<KeyPair> {
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    throw pkiError(what, "the private key is encrypted", "pki-key-unsupported", {
      remedy: "Decrypt it, for example with openssl pkey.",
    });
  }
  const blocks = pemBlocks(pem, what).filter(({ label }) => label.endsWith("PRIVATE KEY"));
  const [block] = blocks;
  if (!block || blocks.length > 1) throw pkiError(what, "one private key in PEM was expected");
  readDer(block.der, what);
  let key: KeyObject;
  try {
    key = createPrivateKey(encodePem(block.label, block.der));
  } catch {
    // The library's error is dropped: it may quote its input.
    throw pkiError(what, "the private key cannot be read", "pki-malformed", { remedy: REMEDY });
  }
  const pkcs8 = new Uint8Array(key.export({ type: "pkcs8", format: "der" }));
  const spki = new Uint8Array(createPublicKey(key).export({ type: "spki", format: "der" }));
  const kind = kindOfSpki(spki, what);
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, signingAlgorithm(kind), true, [
    "sign",
  ]);
  return pair(kind, privateKey, await importSpki(spki, kind), spki);
}

export async function privateKeyPem({ privateKey, kind }: KeyPair, form: KeyForm): Promise<string> {
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  if (form === "pkcs8") return encodePem("PRIVATE KEY", pkcs8);
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
  return kind.type === "rsa"
    ? String(key.export({ type: "pkcs1", format: "pem" }))
    : String(key.export({ type: "sec1", format: "pem" }));
}

/**
 * Kind and size of a public key, which are checked.
 *
 * @param spki DER of SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7)
 * @throws MeshError `pki-malformed`, `pki-key-unsupported`, `pki-weak-key`
 */
export function kindOfSpki(spki: Uint8Array, what: string): KeyKind {
  const [algorithm, bits] = children(readDer(spki, what), what);
  if (!algorithm || !bits) throw pkiError(what, "the public key is malformed");
  const [oid, parameter] = children(algorithm, what);
  if (!oid) throw pkiError(what, "the public key is malformed");
  const name = oidText(oid, what);
  const key = bitBytes(bits, what);
  if (name === OID_RSA) {
    const [modulus, exponent] = children(readDer(key, what), what);
    if (!modulus || !exponent) throw pkiError(what, "the public key is malformed");
    // Larger exponents make each verification slow, 1 would make signatures worthless.
    const e = integerBits(exponent, what);
    if (e < 2 || e > 32) throw weak(what, "an RSA key with an unusual exponent");
    const kind: KeyKind = { type: "rsa", bits: integerBits(modulus, what) };
    checkKind(kind, what);
    return kind;
  }
  const curve = name === OID_EC && parameter?.tag === 0x06 && oidText(parameter, what);
  const found = (Object.keys(CURVES) as Curve[]).find((name) => CURVES[name].oid === curve);
  if (!found) {
    throw pkiError(what, "the key's algorithm or curve is not supported", "pki-key-unsupported", {
      remedy: REMEDY,
    });
  }
  return { type: "ecdsa", curve: found };
}

/** A public key for WebCrypto. */
export async function importSpki(spki: Uint8Array, kind: KeyKind): Promise<CryptoKey> {
  const algorithm = signingAlgorithm(kind);
  return await crypto.subtle.importKey("spki", new Uint8Array(spki), algorithm, true, ["verify"]);
}

function checkKind(kind: KeyKind, what: string): void {
  if (kind.type !== "rsa") return;
  if (!(kind.bits >= RSA_BITS.least && kind.bits <= RSA_BITS.most)) {
    throw weak(what, `an RSA key of ${kind.bits} bits`);
  }
}

function weak(what: string, found: string): Error {
  return pkiError(what, `${found} is refused`, "pki-weak-key", { remedy: REMEDY });
}

function pair(
  kind: KeyKind,
  privateKey: CryptoKey,
  publicKey: CryptoKey,
  spki: Uint8Array,
): KeyPair {
  return { kind, privateKey, publicKey, spki, toJSON: () => "[redacted]" };
}
