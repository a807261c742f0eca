/**
 * HTTP/2 as gRPC needs it, over any socket, of either side. The platform's own ends the process
 * when a peer says farewell, see `docs/decisions.md`.
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
