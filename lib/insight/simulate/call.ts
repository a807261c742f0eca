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
  /** The tunnel (HBONE) that it came through, which the proxy has ended; unset: none. */
  readonly tunnel?: TunnelEnd;
  /** TLS of the client; unset: plain text. */
  readonly tls?: ClientTls;
  /** The request; unset: the connection carries bytes that are not HTTP. */
  readonly http?: Request;
  /** Milliseconds since the epoch; unset: tokens with a limited validity are not decided. */
  readonly now?: number;
  readonly keys?: KeyKnowledge;
  /** Addresses that stand for one that is not known; what depends on them is not decided. */
  readonly assumedAddresses?: readonly string[];
}

/** A tunnel (HBONE) at the proxy that ends it. */
export interface TunnelEnd {
  /** Identity of its client; unset: not known. */
  readonly principal?: string;
  /** `host:port` that a gateway between networks forwards by; unset: the proxy takes the content itself. */
  readonly authority?: string;
}

/** Knowledge about key sets that are not part of a proxy's configuration. */
export interface KeyKnowledge {
  /** A key set (JWKS) in place of each of them. */
  readonly text?: string;
  /** Returns a key set that was fetched from an address in place of the proxy. */
  readonly setAt?: (uri: string) => string | undefined;
  /** Reports if a key made a signature; unset: signatures are not decided. */
  readonly hasSigned?: (signed: SignedText) => boolean;
  /** False: nobody fetched key sets, so that a missing one says nothing. Default: true. */
  readonly fetched?: boolean;
}

/** A signed text with its signature, and a key of a key set. */
export interface SignedText {
  /** The algorithm of the token's header, for example `RS256`. */
  readonly algorithm: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Uint8Array;
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
  /** True: the principal stands for one that is not known; what depends on it is not decided. */
  readonly principalAssumed?: boolean;
}

export interface Request {
  readonly version?: "1.0" | "1.1" | "2";
  readonly method?: string;
  /** Host header, with port if there is one. */
  readonly host: string;
  /** Path with query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose values are not known, in lower case. */
  readonly unknownHeaders?: readonly string[];
  /** A token in addition to those of the headers and the path. */
  readonly token?: Token;
}

/** A token that is given by its claims: its signature is taken as valid. */
export interface Token {
  /** Payload. `iss` and `aud` decide which rule accepts it. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Location in the request; default: `authorization: Bearer`. */
  readonly at?: { readonly in: "header" | "param" | "cookie"; readonly name: string };
}
