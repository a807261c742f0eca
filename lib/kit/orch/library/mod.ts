/**
 * The client library `@kubernetes/client-node`, for accesses that the platform's `fetch` cannot make: auth
 * providers, names of servers in `tls-server-name`, servers that are not verified, and proxies.
 *
 * @module
 */
export { libraryConnection } from "./connection.ts";
export { librarySocket } from "./socket.ts";
