/**
 * Keys of token issuers, valid and invalid ones.
 *
 * @module
 */

/** A key as it stands in a set. */
export type KeyJson = Readonly<Record<string, unknown>>;

const text = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

const bytes = (value: string): Uint8Array =>
  Uint8Array.fromBase64(value, { alphabet: "base64url" });

/** An odd number of this length in bits, which is not a product of primes. */
function modulus(bits: number): string {
  const out = new Uint8Array(Math.ceil(bits / 8)).fill(0xa5);
  out[0] = 1 << ((bits - 1) % 8);
  out[out.length - 1]! |= 1;
  return text(out);
}

async function publicKey(algorithm: RsaHashedKeyGenParams | EcKeyGenParams): Promise<JsonWebKey> {
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  return await crypto.subtle.exportKey("jwk", pair.publicKey);
}

/** Keys by what they are. */
export async function tokenKeys(): Promise<Record<string, KeyJson>> {
  const { n = "" } = await publicKey({
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  });
  const rsa = { kty: "RSA", n, e: "AQAB" };
  const even = bytes(n).with(-1, 2);
  return {
    rsa,
    "rsa, exponent 3": { ...rsa, e: "Aw" },
    "rsa, exponent 17": { ...rsa, e: "EQ" },
    "rsa, exponent with zeros": { ...rsa, e: "AAEAAQ" },
    "rsa, no exponent": { kty: "RSA", n },
    "rsa, even": { ...rsa, n: text(even) },
    "rsa, padded": { ...rsa, n: `${n}==` },
    "rsa, 511 bits": { ...rsa, n: modulus(511) },
    "rsa, 512 bits": { ...rsa, n: modulus(512) },
    "rsa, 16384 bits": { ...rsa, n: modulus(16_384) },
    "rsa, 16385 bits": { ...rsa, n: modulus(16_385) },
    "rsa, for PS512": { ...rsa, alg: "PS512" },
    "rsa, for ES256": { ...rsa, alg: "ES256" },
    "rsa, algorithm of another type": { ...rsa, alg: 5 },
    "rsa, not base64": { ...rsa, n: `${n.slice(1)}+` },
    ...await ecKeys(),
    ed25519: { kty: "OKP", crv: "Ed25519", x: text(new Uint8Array(32).fill(7)) },
    "ed25519, short": { kty: "OKP", crv: "Ed25519", x: text(new Uint8Array(31).fill(7)) },
    "ed25519, for ES256": {
      kty: "OKP",
      crv: "Ed25519",
      alg: "ES256",
      x: text(new Uint8Array(32).fill(7)),
    },
    x25519: { kty: "OKP", crv: "X25519", x: text(new Uint8Array(32).fill(7)) },
    secret: { kty: "oct", k: "AAAA" },
    "secret, none": { kty: "oct", k: "" },
    "secret, for HS256": { kty: "oct", k: "AAAA", alg: "HS256" },
    "secret, for RS256": { kty: "oct", k: "AAAA", alg: "RS256" },
    "of no kind": {},
  };
}

async function ecKeys(): Promise<Record<string, KeyJson>> {
  const [p256, p384, p521] = await Promise.all(["P-256", "P-384", "P-521"].map(async (crv) => {
    const { x = "", y = "" } = await publicKey({ name: "ECDSA", namedCurve: crv });
    return { kty: "EC", crv, x, y };
  }));
  const { crv: _, ...unnamed } = p256!;
  const off = bytes(p256!.x).with(-1, bytes(p256!.x).at(-1)! ^ 1);
  const zeros = text(new Uint8Array([0, ...bytes(p256!.x)]));
  const beyond = text(new Uint8Array(32).fill(0xff));
  return {
    "P-256": p256!,
    "P-384": p384!,
    "P-521": p521!,
    "P-521, off its curve": { ...p521!, y: p521!.x },
    "P-384, off its curve": { ...p384!, y: p384!.x },
    "P-256, off its curve": { ...p256!, x: text(off) },
    "P-256, at nought": { ...p256!, x: "AA", y: "AA" },
    "P-256, beyond its field": { ...p256!, x: beyond },
    // One byte shorter; to take a zero away alone would leave the number as it is.
    "P-256, cut": { ...p256!, x: text(new Uint8Array([1, ...bytes(p256!.x).slice(2)])) },
    "P-256, with zeros": { ...p256!, x: zeros },
    "P-256, of another curve": { ...p384!, crv: "P-256" },
    "P-256, without a name": unnamed,
    "P-384, by its algorithm": { ...p384!, crv: undefined, alg: "ES384" },
    "P-256, for ES384": { ...p256!, alg: "ES384" },
    "P-256, for RS256": { ...p256!, alg: "RS256" },
    "P-256, for nothing known": { ...p256!, alg: "ESX" },
    "another curve": { ...p256!, crv: "secp256k1" },
  };
}
