/**
 * A call: a connection and its request.
 *
 * @module
 */

/** A connection, and the request on it. */
export interface Call {
  /** `outbound`: from the proxy's workload; `inbound`: to it; `gateway`: to a gateway. */
  readonly direction: "outbound" | "inbound" | "gateway";
  readonly source: Source;
  /** Destination before any capture. */
  readonly destination: { readonly ip: string; readonly port: number };
  /** TLS of the client; unset: plain text. */
  readonly tls?: ClientTls;
  /** The request; unset: the connection carries bytes that are not HTTP. */
  readonly http?: Request;
}

/** The caller. */
export interface Source {
  readonly ip: string;
  readonly port?: number;
}

/** TLS handshake of the client. */
export interface ClientTls {
  readonly serverName?: string;
  readonly alpn?: readonly string[];
  /**
   * URI of the client certificate, for example `spiffe://cluster.local/ns/a/sa/b`; the certificate
   * is assumed to be issued by a trusted authority.
   */
  readonly principal?: string;
}

export interface Request {
  readonly version?: "1.0" | "1.1" | "2";
  readonly method?: string;
  /** Host header, with port if there is one. */
  readonly host: string;
  /** Path with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: Token;
}

/** A token with a valid signature. */
export interface Token {
  /** Payload. `iss` and `aud` decide which rule accepts it. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Location in the request; default: `authorization: Bearer`. */
  readonly at?: { readonly in: "header" | "param" | "cookie"; readonly name: string };
}
