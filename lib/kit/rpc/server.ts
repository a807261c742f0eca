/**
 * Starts gRPC servers over the transport that the options name.
 *
 * @module
 */
import { endsWithin } from "../async/mod.ts";
import type { RpcMethod } from "./call.ts";
import { startNative } from "./native/mod.ts";
import type { RpcOptions, RpcServer, RpcTransport, StartTransport } from "./options.ts";
import { roundsEnded } from "./rounds.ts";

/** The transports. One that brings a library is imported when it is chosen. */
const TRANSPORTS: Readonly<Record<RpcTransport, () => Promise<StartTransport>>> = {
  native: () => Promise.resolve(startNative),
  "grpc-js": async () => (await import("./grpcjs/mod.ts")).startGrpcJs,
};

/** A stopped server waits so long for handlers whose streams are cut, ms. */
const HANDLERS_MS = 1_000;

/**
 * Starts a server; throws `MeshError` `rpc-bind` or `rpc-address-invalid`.
 *
 * @example
 * ```ts
 * import { openStream, startRpc } from "./mod.ts";
 *
 * const path = "/example.Echo/Talk";
 * const server = await startRpc({
 *   address: "127.0.0.1:0",
 *   services: [{
 *     path,
 *     async handle(call) {
 *       for await (const message of call.messages) call.send(message);
 *     },
 *   }],
 *   limits: { maxReceive: 1024 * 1024, maxStreams: 100 },
 *   keepalive: { interval: 30_000, timeout: 10_000 },
 * });
 * const stream = openStream({ target: server.address, path });
 * stream.send(new Uint8Array([1, 2, 3]));
 * stream.end();
 * for await (const message of stream.messages) console.log(message); // 1, 2, 3
 * await stream.ended;
 * await server.stop(0);
 * ```
 */
export async function startRpc(options: RpcOptions): Promise<RpcServer> {
  const start = await TRANSPORTS[options.transport ?? "native"]();
  const running = new Set<Promise<void>>();
  const services = options.services.map((method) => tracked(method, running));
  const server = await start({ ...options, services });
  return {
    ...server,
    async stop(graceMs) {
      await server.stop(graceMs);
      await allEnded(running);
      await roundsEnded();
    },
  };
}

/** A method whose running handlers are in a set. */
function tracked(method: RpcMethod, running: Set<Promise<void>>): RpcMethod {
  return {
    ...method,
    handle(call) {
      const handling = method.handle(call);
      running.add(handling);
      const end = () => void running.delete(handling);
      handling.then(end, end);
      return handling;
    },
  };
}

/** Waits for handlers, but not for one that does not end with its stream. */
async function allEnded(running: ReadonlySet<Promise<void>>): Promise<void> {
  await endsWithin(HANDLERS_MS, Promise.allSettled(running));
}
