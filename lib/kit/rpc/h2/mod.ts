/**
 * HTTP/2 as gRPC needs it, over any socket, of either side: frames, header compression, flow
 * control, keepalive, GOAWAY, limits of a connection. The platform's own ends the process when a
 * client resets streams and then sends GOAWAY, see `docs/decisions`.
 *
 * @module
 */
export { createConnection } from "./connection.ts";
export { type H2Code, H2Error } from "./error.ts";
export type { Headers } from "./hpack.ts";
export type {
  Connection,
  ConnectionObserver,
  ConnectionOptions,
  H2Stream,
  SocketLike,
  StreamListener,
} from "./types.ts";
