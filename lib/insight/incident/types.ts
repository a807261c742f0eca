/**
 * The types of evidence.
 *
 * @module
 */

/** A request as far as the evidence names it. */
export interface Evidence {
  readonly form: "curl" | "access log (text)" | "access log (JSON)";
  readonly url: string;
  readonly method: string;
  /** `NAME: VALUE`. */
  readonly headers: readonly string[];
  /** Facts of the proxy that wrote the line. */
  readonly seen?: Seen;
  /** Facts that the evidence does not have, as sentences. */
  readonly unknown: readonly string[];
}

/** The facts of an access log. */
export interface Seen {
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** 0: no answer. */
  readonly status?: number;
  /** Response flags of the proxy, such as `UF`. */
  readonly flags: readonly string[];
  /** Details of the response, the connection and the transport, as the proxy wrote them. */
  readonly details: readonly string[];
  readonly direction?: "inbound" | "outbound";
  /** Addresses without ports: of the proxy, and of its client. */
  readonly local?: string;
  readonly remote?: string;
  readonly requestId?: string;
}
