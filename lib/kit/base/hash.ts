/** The runtime's digest of bytes or of a text in UTF-8. */
type Digest = (
  algorithm: string,
  data: Uint8Array | string,
  form: "base64url" | "hex",
) => string;

let loaded: Digest | undefined;

/**
 * `hash` of `node:crypto`, loaded when it is used first: commands that hash nothing start without that
 * part of the runtime, which costs as much as an empty program.
 */
const digest: Digest = (algorithm, data, form) => {
  loaded ??= process.getBuiltinModule("node:crypto").hash;
  return loaded(algorithm, data, form);
};

/** 22 base64url characters have 132 bits: enough against accidental collisions. */
const HASH_CHARACTERS = 22;

/** Content hash: SHA-256 as base64url, truncated to 22 characters. Strings are hashed as UTF-8. */
export function hash(bytes: Uint8Array | string): string {
  return digest("sha256", bytes, "base64url").slice(0, HASH_CHARACTERS);
}

/** Algorithms of {@linkcode hexDigest}. */
export type DigestAlgorithm = "sha1" | "sha256" | "sha512";

/** Digest of a text, in UTF-8, as lower-case hexadecimal digits. */
export function hexDigest(algorithm: DigestAlgorithm, text: string): string {
  return digest(algorithm, text, "hex");
}
