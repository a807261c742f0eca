/**
 * gRPC over the library `@grpc/grpc-js` and the platform's HTTP/2.
 *
 * @module
 */
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerOptions,
} from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import type { RpcMethod } from "../call.ts";
import { gateLimits } from "../gate.ts";
import { openListener } from "../listen.ts";
import type { RpcOptions, RpcServer } from "../options.ts";
import { type LibraryCall, serveCall } from "./call.ts";
import { openConnections } from "./connections.ts";

/** Longest time a timer can hold, ms; a connection age beyond it means no limit. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Default time that streams have to end on a connection beyond its age, ms. */
const MAX_AGE_GRACE_MS = 10_000;

/** Starts a server; see {@link StartTransport}. */
export async function startGrpcJs(options: RpcOptions): Promise<RpcServer> {
  const server = new Server(serverOptions(options));
  server.addService(
    Object.fromEntries(options.services.map((method) => [method.path, definitionOf(method)])),
    Object.fromEntries(
      options.services.map((method) => [
        method.path,
        (call: LibraryCall) => void serveCall(method, call),
      ]),
    ),
  );
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const connections = openConnections(options, (front) => injector.injectConnection(front));
  const limits = gateLimits(options.bounds);
  const listener = await openListener(options.address, connections.accept, options.tls, limits);
  return {
    address: listener.address,
    port: listener.port,
    setTls: listener.setTls,
    async stop(graceMs) {
      const timer = setTimeout(connections.destroy, graceMs);
      const closed = listener.close();
      // Sends GOAWAY on all connections; they end when their streams did.
      injector.destroy();
      await closed;
      clearTimeout(timer);
      connections.close();
      server.forceShutdown();
    },
  };
}

function serverOptions({ limits, keepalive }: RpcOptions): ServerOptions {
  const { interval, timeout, maxAge = Infinity, maxAgeGrace = MAX_AGE_GRACE_MS } = keepalive;
  return {
    "grpc.max_receive_message_length": limits.maxReceive,
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": limits.maxStreams,
    "grpc.keepalive_time_ms": interval,
    "grpc.keepalive_timeout_ms": timeout,
    ...(maxAge <= TIMER_MAX_MS / 1.1 && {
      "grpc.max_connection_age_ms": maxAge,
      "grpc.max_connection_age_grace_ms": maxAgeGrace,
    }),
    // Its records of every connection are of no use here.
    "grpc.enable_channelz": 0,
  };
}

/** A bidirectional method whose messages are bytes. The pieces of a message are joined when it is sent. */
function definitionOf({ path }: RpcMethod): MethodDefinition<readonly Uint8Array[], Buffer> {
  const join = (parts: readonly Uint8Array[]) => Buffer.concat(parts);
  const keep = (bytes: Buffer) => bytes;
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: join,
    requestDeserialize: keep as never,
    responseSerialize: join as never,
    responseDeserialize: keep,
  };
}
