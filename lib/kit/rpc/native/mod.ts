/**
 * gRPC over the project's own HTTP/2 (`lib/kit/rpc/h2`): server, connections with their bounds, calls,
 * statuses.
 *
 * @module
 */
export { startNative } from "./server.ts";
export { abortedError, statusOf } from "./status.ts";
