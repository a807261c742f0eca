/**
 * A call: what somebody sends, and what happens to it.
 *
 * @module
 */

/** A connection, and the request on it. */
export interface Call {
  /** `outbound`: from the workload beside the proxy; `inbound`: to it; `gateway`: to a gateway. */
  readonly direction: "outbound" | "inbound" | "gateway";
  readonly source: Source;
  /** What the client meant to reach, before any capture. */
  readonly destination: { readonly ip: string; readonly port: number };
  /** The client speaks TLS. */
  readonly tls?: ClientTls;
  /** Without it the connection carries bytes that are no HTTP. */
  readonly http?: Request;
}

/** Who calls. */
export interface Source {
  readonly ip: string;
  readonly port?: number;
}

/** What the client says in its handshake. */
export interface ClientTls {
  readonly serverName?: string;
  readonly alpn?: readonly string[];
  /**
   * URI of the certificate that it shows, for example `spiffe://cluster.local/ns/a/sa/b`;
   * the certificate is taken to be issued by who it should be.
   */
  readonly principal?: string;
}

/** A request. */
export interface Request {
  readonly version?: "1.0" | "1.1" | "2";
  readonly method?: string;
  /** As it is written, with port if there is one. */
  readonly host: string;
  /** With query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: Token;
}

/** A token whose signature is good. */
export interface Token {
  /** Payload. `iss` and `aud` decide who takes it. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Where it is carried; default: `authorization: Bearer`. */
  readonly at?: { readonly in: "header" | "param" | "cookie"; readonly name: string };
}
