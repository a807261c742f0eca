/**
 * Dynamic metadata in which the token filter writes the claims of a request.
 *
 * @module
 */

/** The filter that verifies tokens. */
export const TOKEN_FILTER = "envoy.filters.http.jwt_authn";

/** The name in its metadata under which the claims of the token are found. */
export const PAYLOAD = "payload";
