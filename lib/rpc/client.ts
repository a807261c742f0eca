/**
 * The client's side of a bidirectional stream over raw bytes. One stream has one connection;
 * connecting again is the caller's business.
 *
 * @module
 */
import { Client, type ClientDuplexStream, credentials, Metadata } from "@grpc/grpc-js";
import "./library.ts";
import { inbox, type Outbox, outbox, type Outgoing, toBuffer } from "./flow.ts";
import { RpcError, toRpcError } from "./status.ts";

/** What a stream is opened with. */
export interface OpenOptions {
  /** `host:port`, `[ipv6]:port` or `unix:/path`. */
  readonly target: string;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Request headers. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Largest message taken, bytes (default: no limit). */
  readonly maxReceive?: number;
  /** HTTP/2 flow-control window, bytes, of stream and connection (default 1 MiB). */
  readonly window?: number;
  /** Silence after which the server is pinged, and how long its answer may take, ms (default: never). */
  readonly keepalive?: { readonly interval: number; readonly timeout: number };
}

/** An open stream. It is usable at once; that no connection came about shows in `messages`. */
export interface RpcStream extends Outbox {
  /**
   * What the server sends. Fails with {@link RpcError} when the stream ended with a status other
   * than OK; messages that were still on their way then may be lost, which gRPC allows.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the stream is over and nothing of it is left behind. */
  readonly ended: Promise<void>;
  /** Ends this side; the server may still answer. */
  end(): void;
  /** Gives the stream and its connection up. `messages` ends without an error. */
  close(): void;
}

/** Time between attempts to connect. There is never a second one, so it is as short as can be. */
const BACKOFF_MS = 1;

/** Opens a stream of its own connection. */
export function openStream(options: OpenOptions): RpcStream {
  const client = new Client(options.target, credentials.createInsecure(), channelOptions(options));
  const stream = client.makeBidiStreamRequest<Outgoing, Uint8Array>(
    options.path,
    toBuffer,
    (bytes) => bytes,
    headers(options.metadata),
  );
  const out = outbox(stream);
  const incoming = inbox(stream);
  const gone = Promise.withResolvers<void>();
  let isOver = false;
  const over = (error?: RpcError) => {
    if (isOver) return;
    isOver = true;
    out.release();
    incoming.finish(error);
    client.close();
    // A closed channel still runs out the back-off it began when it could not connect.
    if (error?.status === "UNAVAILABLE") setTimeout(gone.resolve, 50 * BACKOFF_MS);
    else gone.resolve();
  };
  whenOver(stream, over);
  return {
    messages: incoming,
    ended: gone.promise,
    send: out.send,
    drained: out.drained,
    get pending() {
      return out.pending;
    },
    end: () => void stream.end(),
    close: () => {
      stream.cancel();
      over();
    },
  };
}

function whenOver(
  stream: ClientDuplexStream<Outgoing, Uint8Array>,
  over: (error?: RpcError) => void,
): void {
  stream.on("error", (error) => over(toRpcError(error)));
  stream.once("end", () => over());
}

function channelOptions(options: OpenOptions): Record<string, number> {
  const window = options.window ?? 1024 * 1024;
  return {
    "grpc.max_receive_message_length": options.maxReceive ?? -1,
    "grpc.max_send_message_length": -1,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.enable_channelz": 0,
    "grpc.initial_reconnect_backoff_ms": BACKOFF_MS,
    "grpc.service_config_disable_resolution": 1,
    "grpc-node.flow_control_window": window,
    ...(options.keepalive && {
      "grpc.keepalive_time_ms": options.keepalive.interval,
      "grpc.keepalive_timeout_ms": options.keepalive.timeout,
    }),
  };
}

function headers(from: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(from)) metadata.set(name, value);
  return metadata;
}
