/**
 * A bidirectional method and the call that its handler gets. They are the same for every transport.
 *
 * @module
 */
import { scope } from "../log/mod.ts";
import type { Outbox } from "./flow.ts";
import { type RpcError, toRpcError } from "./status.ts";

const log = scope("grpc");

/** One stream as its handler sees it. */
export interface RpcCall extends Outbox {
  /** `address:port` of the client; `unix` over a socket file. */
  readonly peer: string;
  /**
   * Request headers, names in lower case, values of the same name joined by commas. Pseudo-headers
   * and binary headers (`-bin`) are left out.
   */
  readonly metadata: ReadonlyMap<string, string>;
  /**
   * DER of the client's certificates, its own first; `undefined` without any. The handshake has
   * proved that the client has the key. Their issuer is not verified.
   */
  readonly certificates?: readonly Uint8Array[];
  /** True: the call came over TLS. */
  readonly secure?: boolean;
  /** Messages of the client. Ends when the client closed its side or the stream is over. For one reader. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the stream is over: its handler is done, or it was cut by either side. */
  readonly ended: Promise<void>;
  /**
   * Tells the transport that the client is served: the stream stops to count as work before
   * admission, see {@link RpcMethod.admission}.
   */
  admit(): void;
  /** Ends `messages`, so that the handler comes to its end; with an error, reading fails with it. */
  finish(error?: RpcError): void;
  /** Cuts the stream at once; queued messages are lost. For clients that do not read. */
  reset(): void;
}

/** A bidirectional method. Returning ends the stream with OK, throwing an {@link RpcError} with its status. */
export interface RpcMethod {
  /** For example `/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources`. */
  readonly path: string;
  handle(call: RpcCall): Promise<void>;
  /**
   * The handler calls {@link RpcCall.admit} when it serves a client. Until then the stream counts
   * as work before admission, which is bounded for each connection and each address. Without it,
   * streams are admitted from their begin.
   */
  readonly admission?: boolean;
}

/** Runs a handler to its end. Returns the error that the stream ends with; `undefined` for OK. */
export async function runMethod(method: RpcMethod, call: RpcCall): Promise<RpcError | undefined> {
  try {
    await method.handle(call);
    return undefined;
  } catch (error) {
    const status = toRpcError(error);
    if (status !== error) log.error("a gRPC handler failed", { method: method.path, error });
    return status;
  }
}
