/**
 * The client's side of a bidirectional stream over raw bytes. One stream has one connection;
 * the caller connects again.
 *
 * @module
 */
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { parseGrpcAddress } from "./address.ts";
import { type Inbox, inbox, type Outbox, outbox } from "./flow.ts";
import { createConnection, type H2Stream, type Headers, type StreamListener } from "./h2/mod.ts";
import { abortedError, statusOf } from "./native/mod.ts";
import { RpcError, toRpcError } from "./status.ts";

export interface RpcClientTls {
  /** Authorities that are trusted, PEM. */
  readonly ca: string;
  /** The client's own certificate with its chain and its key, PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** Name that the server's certificate must have. Default: the host of the target. */
  readonly serverName?: string;
  /** Cipher suites, by their standard names, that a connection may have; default: all. */
  readonly cipherSuites?: ReadonlySet<string>;
  /** True: the server's certificate is not verified. Default: it is. */
  readonly insecure?: boolean;
  /** Bearer token that each call sends in the header `authorization`. Default: none. */
  readonly token?: string;
}

/** Options of opening a stream. */
export interface OpenOptions {
  /** `host:port`, `[ipv6]:port` or `unix:/path`. */
  readonly target: string;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Own address of a connection without TLS; default: the system chooses. */
  readonly localAddress?: string;
  /** Request headers. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Default: no TLS. */
  readonly tls?: RpcClientTls;
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
   * Messages of the server. Fails with {@link RpcError} if the stream ended with a status other
   * than OK, after the messages before it.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the stream is over and nothing of it is left behind. */
  readonly ended: Promise<void>;
  /** Ends this side; the server may still answer. */
  end(): void;
  /** Gives the stream and its connection up. `messages` ends without an error. */
  close(): void;
}

/** Opens a stream of its own connection. */
export function openStream(options: OpenOptions): RpcStream {
  const gone = Promise.withResolvers<void>();
  const connection = createConnection({
    role: "client",
    socket: dial(options),
    maxStreams: 0,
    window: options.window ?? 1024 * 1024,
    keepalive: options.keepalive,
    closed: () => gone.resolve(),
  });
  const out = outbox((parts, taken) => stream.data(parts, taken));
  const incoming = inbox(
    { credit: (bytes) => stream.credit(bytes), hold: (bytes) => stream.hold(bytes) },
    options.maxReceive ?? Infinity,
  );
  const over = (error?: RpcError) => {
    out.release();
    incoming.finish(error);
    connection.retire();
    // If the server has ended the stream, this ends our side.
    stream.reset("CANCEL");
  };
  const stream: H2Stream = connection.open(requestHeaders(options), listener(incoming, over));
  return {
    messages: incoming,
    ended: gone.promise,
    send: out.send,
    drained: out.drained,
    get pending() {
      return out.pending;
    },
    end: () => stream.end(),
    close: () => over(),
  };
}

/** Connects; what goes wrong shows in the connection. */
function dial({ target, tls, localAddress }: OpenOptions): Socket {
  const address = parseGrpcAddress(target);
  if (tls && address.kind !== "unix") {
    return dialTls(address.host || "localhost", address.port, tls);
  }
  const socket = address.kind === "unix"
    ? connect({ path: address.path })
    : connect({ host: address.host || "localhost", port: address.port, localAddress });
  socket.setNoDelay(true);
  return socket;
}

function dialTls(host: string, port: number, tls: RpcClientTls): Socket {
  const { serverName, ca, cert, key, insecure, cipherSuites } = tls;
  const name = serverName ?? host;
  const socket = connectTls({
    host,
    port,
    ca,
    cert,
    key,
    // An address is compared with the certificate's addresses, and is not sent as a name.
    ...isIP(name) === 0 && { servername: name },
    ALPNProtocols: ["h2"],
    ...insecure === true && { rejectUnauthorized: false },
  });
  if (cipherSuites !== undefined) {
    // Nothing is sent, and no token shown, before the suite is known.
    socket.cork();
    socket.once("secureConnect", () => {
      const { standardName } = socket.getCipher();
      if (cipherSuites.has(standardName)) return socket.uncork();
      socket.destroy(new Error(`the server selected the cipher suite ${standardName}`));
    });
  }
  socket.setNoDelay(true);
  return socket;
}

function requestHeaders({ path, target, tls, metadata = {} }: OpenOptions): Headers {
  return [
    [":method", "POST"],
    [":scheme", tls ? "https" : "http"],
    [":path", path],
    [":authority", target.startsWith("unix:") ? "localhost" : target],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
    ...tls?.token === undefined ? [] : [["authorization", `Bearer ${tls.token}`] as const],
    ...Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value] as const),
  ];
}

function listener(incoming: Inbox, over: (error?: RpcError) => void): StreamListener {
  let begun = false;
  return {
    headers(headers, end) {
      const isAnswer = !begun &&
        headers.some(([name, value]) => name === ":status" && value === "200");
      if (end || (!begun && !isAnswer)) return over(statusOf(headers));
      begun = true;
    },
    data(bytes, end) {
      try {
        incoming.push(bytes);
      } catch (error) {
        return over(toRpcError(error));
      }
      if (end) over(new RpcError("INTERNAL", "the stream ended without a status"));
    },
    aborted: (code, error) => over(abortedError(code, error)),
  };
}
