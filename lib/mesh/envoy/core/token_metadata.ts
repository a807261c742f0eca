/**
 * Dynamic metadata in which the token filter writes the claims of a request.
 *
 * @module
 */

/** The filter that verifies tokens. */
export const TOKEN_FILTER = "envoy.filters.http.jwt_authn";

/** Metadata key of the claims of the token. */
export const PAYLOAD = "payload";
