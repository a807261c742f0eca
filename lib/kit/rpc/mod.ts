/**
 * gRPC over raw bytes: a server of bidirectional methods over one of several transports, and the
 * client to it, with limits and back-pressure. Callers encode and decode the messages.
 *
 * @module
 */
export { type GrpcAddress, parseGrpcAddress } from "./address.ts";
export { nextRound, roundsEnded } from "./rounds.ts";
export { recycleBuffer } from "./buffer_pool.ts";
export { byteLength, HIGH_WATER, type Outbox } from "./flow.ts";
export type { Outgoing } from "./message.ts";
export type {
  RpcBounds,
  RpcKeepalive,
  RpcLimits,
  RpcOptions,
  RpcServer,
  RpcTls,
  RpcTransport,
} from "./options.ts";
export type { RpcCall, RpcMethod } from "./call.ts";
export { boundsInForce, transportInForce } from "./variables.ts";
export { startRpc } from "./server.ts";
export { type OpenOptions, openStream, type RpcClientTls, type RpcStream } from "./client.ts";
export { getOverH2, type H2Answer, type H2Request } from "./get.ts";
export { RPC, RpcError, type RpcStatus, statusName, toRpcError } from "./status.ts";
