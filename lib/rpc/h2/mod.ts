/**
 * HTTP/2 as gRPC needs it, for clients and servers, over any socket. The platform's implementation
 * ends the process when a peer sends GOAWAY, see `docs/decisions/0008-own-http2.md`.
 *
 * @module
 */
export { createConnection } from "./connection.ts";
export { type H2Code } from "./error.ts";
export { type Headers } from "./hpack.ts";
export {
  type Connection,
  type ConnectionOptions,
  type H2Stream,
  type SocketLike,
  type StreamListener,
} from "./state.ts";
