/**
 * Starts gRPC servers over the transport that the options name.
 *
 * @module
 */
import { startNative } from "./native/mod.ts";
import type { RpcOptions, RpcServer, RpcTransport, StartTransport } from "./options.ts";

/** The transports. One that brings a library is imported when it is chosen. */
const TRANSPORTS: Readonly<Record<RpcTransport, () => Promise<StartTransport>>> = {
  native: () => Promise.resolve(startNative),
  "grpc-js": async () => (await import("./grpcjs/mod.ts")).startGrpcJs,
};

/** Starts a server; throws `MeshError` `rpc-bind` or `rpc-address-invalid`. */
export async function startRpc(options: RpcOptions): Promise<RpcServer> {
  const start = await TRANSPORTS[options.transport ?? "native"]();
  return await start(options);
}
