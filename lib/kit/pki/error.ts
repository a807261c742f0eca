/**
 * The errors of this room.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/** Codes of the errors of this room. */
export type PkiCode =
  | "pki-malformed"
  | "pki-weak-key"
  | "pki-key-unsupported"
  | "pki-name-invalid"
  | "pki-signature"
  | "pki-chain"
  | "pki-expired"
  | "pki-not-yet-valid";

/**
 * An error about one thing. The message never has key material or the bytes of the input.
 *
 * @param what the thing, with its article or its file, for example `the CSR`
 * @param why a clause about it, such as `it is cut off`
 */
export function pkiError(
  what: string,
  why: string,
  code: PkiCode = "pki-malformed",
  options: { readonly remedy?: string; readonly cause?: unknown } = {},
): MeshError {
  return new MeshError(code, `${what}: ${why}`, options);
}
