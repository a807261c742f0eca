/**
 * The options of a gRPC server, and the handle of a running one. They are the same for every
 * transport.
 *
 * @module
 */
import type { RpcMethod } from "./call.ts";

/** Bounds of a server. */
export interface RpcLimits {
  /** Largest message taken from a client, bytes; a larger one ends its stream with RESOURCE_EXHAUSTED. */
  readonly maxReceive: number;
  /** Streams at the same time on one connection. */
  readonly maxStreams: number;
}

/** Bounds on the connections of a server. */
export interface RpcBounds {
  readonly connections: number;
  /** Connections before admission, see `RpcMethod.admission`. */
  readonly unadmittedConnections: number;
  /** Connections before admission from one address. */
  readonly unadmittedOfAddress: number;
  /** Time that a connection may stay without a request, ms. */
  readonly requestMs: number;
  /** Streams of a connection before admission. */
  readonly unadmittedStreams: number;
  /** Bytes in memory for the input of all connections that no handler has read; at least 8 messages. */
  readonly memory: number;
}

/** The bounds of a server for which the options name no others. */
export const DEFAULT_BOUNDS: RpcBounds = {
  connections: 10_000,
  unadmittedConnections: 4000,
  unadmittedOfAddress: 2000,
  requestMs: 30_000,
  unadmittedStreams: 100,
  memory: 64 * 1024 * 1024,
};

/** Keepalive and age of connections. All in milliseconds. */
export interface RpcKeepalive {
  /** Silence after which the client is pinged. */
  readonly interval: number;
  /** Longest wait for the answer to a ping. */
  readonly timeout: number;
  /** Age at which a connection gets GOAWAY; beyond 24 days: never. */
  readonly maxAge?: number;
  /** Time that the streams of a connection have to end after that GOAWAY (default 10 s). */
  readonly maxAgeGrace?: number;
}

/** The HTTP/2 implementation that serves the methods. */
export type RpcTransport = "native" | "grpc-js";

/** Certificates of a server, PEM. */
export interface RpcTls {
  readonly cert: string;
  readonly key: string;
  /**
   * Authorities of client certificates, which are optional; without authorities, none is requested.
   */
  readonly clientCa?: string;
  /**
   * IANA names of the allowed cipher suites. The runtime cannot restrict its suites, so a
   * connection with another one is closed before any read.
   */
  readonly cipherSuites?: ReadonlySet<string>;
}

/** The options of {@link startRpc}. */
export interface RpcOptions {
  /** `host:port`, `:port`, `[ipv6]:port` or `unix:/path`. */
  readonly address: string;
  readonly services: readonly RpcMethod[];
  readonly limits: RpcLimits;
  readonly keepalive: RpcKeepalive;
  /** Default: no TLS. */
  readonly tls?: RpcTls;
  /** Default: {@link DEFAULT_BOUNDS}. */
  readonly bounds?: Partial<RpcBounds>;
  /** Default: `native`. */
  readonly transport?: RpcTransport;
}

/** A running server. */
export interface RpcServer {
  /** The address with the real port. It is a client's `target` when a host was named. */
  readonly address: string;
  /** The port; 0 for a Unix socket. */
  readonly port: number;
  /** Takes other certificates for new connections; open ones go on. Only for servers with TLS. */
  setTls(tls: RpcTls): void;
  /** Refuses new connections, lets open streams end for so long, then cuts them. */
  stop(graceMs: number): Promise<void>;
}

/** Starts a server over one transport. Throws `MeshError` `rpc-bind` or `rpc-address-invalid`. */
export type StartTransport = (options: RpcOptions) => Promise<RpcServer>;
