/**
 * The HTTP filter that asks a server about the requests of some routes.
 *
 * @module
 */

/** Its name; routes that have a server configure it by this name. */
export const AUTHORIZER_FILTER = "mesh.filters.http.authorizer";
