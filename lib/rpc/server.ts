/**
 * The gRPC server: bidirectional methods over raw bytes, with limits on everything.
 *
 * @module
 */
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import "./library.ts";
import { scope } from "../log/mod.ts";
import { bindError, bindTarget, clearSocket, type ListenAddress, parseAddress } from "./address.ts";
import { inbox, type Outbox, outbox, type Outgoing, toFrame } from "./flow.ts";
import { RpcError, toRpcError } from "./status.ts";

const log = scope("grpc");

/** Longest time a timer can hold; a connection age beyond it means no limit. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** One stream as its handler sees it. */
export interface RpcCall extends Outbox {
  /** `address:port` of the client; `unix` over a socket file. */
  readonly peer: string;
  /** Request headers, names in lower case; binary ones are left out. */
  readonly metadata: ReadonlyMap<string, string>;
  /** What the client sends; ends when it closed its side or the stream is gone. Read by one reader. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the stream is gone, whoever ended it. */
  readonly ended: Promise<void>;
  /** Ends `messages`, so that the handler comes to its end; with an error, reading fails with it. */
  finish(error?: RpcError): void;
  /** Cuts the stream at once; what is queued is lost. For clients that do not read. */
  reset(): void;
}

/** A bidirectional method. Returning ends the stream with OK, throwing an {@link RpcError} with its status. */
export interface RpcMethod {
  /** For example `/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources`. */
  readonly path: string;
  handle(call: RpcCall): Promise<void>;
}

/** Bounds of a server. */
export interface RpcLimits {
  /** Largest message taken from a client, bytes; a larger one ends its stream with RESOURCE_EXHAUSTED. */
  readonly maxReceive: number;
  /** Streams at the same time on one connection. */
  readonly maxStreams: number;
}

/** When a quiet or old connection is given up. All in milliseconds. */
export interface RpcKeepalive {
  /** Silence after which the client is pinged. */
  readonly interval: number;
  /** How long its answer may take. */
  readonly timeout: number;
  /** Age at which a connection is asked to go; beyond 24 days: never. */
  readonly maxAge?: number;
  /** How long its streams may then take to end (default 10 s). */
  readonly maxAgeGrace?: number;
}

/** What a server is started with. */
export interface RpcOptions {
  /** See {@link parseAddress}. */
  readonly address: string;
  readonly services: readonly RpcMethod[];
  readonly limits: RpcLimits;
  readonly keepalive: RpcKeepalive;
}

/** A running server. */
export interface RpcServer {
  /** Where it listens, with the real port: what a client's `target` may be when a host was named. */
  readonly address: string;
  /** The port; 0 for a Unix socket. */
  readonly port: number;
  /** Takes no more connections, lets the open streams end for so long, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

/** Starts a server; throws `MeshError` `rpc-bind` or `rpc-address-invalid`. */
export async function startRpc(options: RpcOptions): Promise<RpcServer> {
  const address = parseAddress(options.address);
  if (address.kind === "unix") await clearSocket(address.path);
  const server = new Server(serverOptions(options));
  const open = new Set<RpcCall>();
  for (const method of options.services) addMethod(server, method, open);
  try {
    const port = await bindAny(server, address);
    return {
      address: address.kind === "unix"
        ? options.address
        : bindTarget({ ...address, port }, address.host),
      port: address.kind === "unix" ? 0 : port,
      stop: (graceMs) => stop(server, open, graceMs),
    };
  } catch (error) {
    server.forceShutdown();
    throw bindError(options.address, error);
  }
}

function serverOptions({ limits, keepalive }: RpcOptions): Record<string, number> {
  const age = keepalive.maxAge ?? Infinity;
  return {
    "grpc.max_receive_message_length": limits.maxReceive,
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": limits.maxStreams,
    "grpc.keepalive_time_ms": keepalive.interval,
    "grpc.keepalive_timeout_ms": keepalive.timeout,
    "grpc.enable_channelz": 0,
    ...(age <= TIMER_MAX_MS && {
      "grpc.max_connection_age_ms": age,
      "grpc.max_connection_age_grace_ms": keepalive.maxAgeGrace ?? 10_000,
    }),
  };
}

/** Binds; without a host, to both families, or to IPv4 alone where the machine has no IPv6. */
async function bindAny(server: Server, address: ListenAddress): Promise<number> {
  if (address.kind === "tcp" && address.host === "") {
    try {
      return await bind(server, bindTarget(address, "::"));
    } catch (error) {
      if (!/EAFNOSUPPORT|EADDRNOTAVAIL/.test(String(error))) throw error;
      return await bind(server, bindTarget(address, "0.0.0.0"));
    }
  }
  return await bind(server, bindTarget(address, address.kind === "tcp" ? address.host : ""));
}

function bind(server: Server, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

/** The library's own forced shutdown misses its connections; they close when their streams are gone. */
function stop(server: Server, open: ReadonlySet<RpcCall>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const call of open) call.reset();
      server.forceShutdown();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function addMethod(server: Server, method: RpcMethod, open: Set<RpcCall>): void {
  server.register(
    method.path,
    (stream: ServerDuplexStream<Uint8Array, Outgoing>) => void run(stream, method, open),
    toFrame,
    (bytes) => bytes,
    "bidi",
  );
}

/** Runs a handler over one stream and ends the stream with what became of it. */
async function run(
  stream: ServerDuplexStream<Uint8Array, Outgoing>,
  method: RpcMethod,
  open: Set<RpcCall>,
): Promise<void> {
  const out = outbox(stream);
  const incoming = inbox(stream);
  const gone = Promise.withResolvers<void>();
  const over = () => {
    open.delete(call);
    out.release();
    incoming.finish();
    gone.resolve();
  };
  const call: RpcCall = {
    peer: peerOf(stream),
    metadata: headersOf(stream),
    messages: incoming,
    ended: gone.promise,
    send: out.send,
    drained: out.drained,
    finish: incoming.finish,
    get pending() {
      return out.pending;
    },
    reset: () => {
      over();
      cut(stream);
    },
  };
  open.add(call);
  stream.once("cancelled", over);
  stream.once("close", over);
  try {
    await method.handle(call);
    stream.end();
  } catch (error) {
    fail(stream, method, error);
  }
}

function fail(
  stream: ServerDuplexStream<Uint8Array, Outgoing>,
  method: RpcMethod,
  error: unknown,
): void {
  const status = toRpcError(error);
  if (!(error instanceof RpcError)) {
    log.error("a gRPC handler failed", { method: method.path, error });
  }
  stream.emit("error", { code: status.code, details: status.details });
}

function peerOf(stream: ServerDuplexStream<Uint8Array, Outgoing>): string {
  const peer = stream.getPeer();
  return peer === "unknown" ? "unix" : peer;
}

function headersOf(stream: ServerDuplexStream<Uint8Array, Outgoing>): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(stream.metadata.getMap())) {
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

/**
 * Destroys the HTTP/2 stream below a call. The library has no way to end a call whose client does
 * not read: a status waits behind the queued data. So this looks for the stream inside, through
 * the interceptors, and falls back to cancelling.
 */
function cut(stream: ServerDuplexStream<Uint8Array, Outgoing>): void {
  let inner = (stream as unknown as { call?: InnerCall }).call;
  while (inner?.nextCall) inner = inner.nextCall;
  if (inner?.stream) inner.stream.destroy();
  stream.destroy();
}

/** The parts of the library's call object that {@link cut} relies on. */
interface InnerCall {
  readonly nextCall?: InnerCall;
  readonly stream?: { destroy(): void };
}
