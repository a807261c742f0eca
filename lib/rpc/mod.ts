/**
 * gRPC over raw bytes: a server of bidirectional methods and the client to it, with limits and
 * back-pressure. What the bytes mean is up to others.
 *
 * @module
 */
export { type ListenAddress, parseAddress } from "./address.ts";
export { type Breath, breather } from "./breath.ts";
export { recycle } from "./rooms.ts";
export { byteLength, HIGH_WATER, type Outbox } from "./flow.ts";
export type { Outgoing } from "./message.ts";
export { type ListenOptions, type RpcKeepalive, type RpcLimits, type RpcServer } from "./listen.ts";
export { type RpcCall, type RpcMethod, type RpcOptions, startRpc } from "./server.ts";
export { type OpenOptions, openStream, type RpcStream } from "./client.ts";
export { RPC, RpcError, type RpcStatus, statusName, toRpcError } from "./status.ts";
