/**
 * The error of a caller who is not authenticated.
 *
 * @module
 */

/** The reason is for the operator's log, not for the caller. It never has a token or a key. */
export class AuthnError extends Error {
  override readonly name = "AuthnError";
}
