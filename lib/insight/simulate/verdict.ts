/**
 * Result of a simulated call: its steps and endings.
 *
 * @module
 */

import type { AccessTrace } from "./access_trace.ts";
import type { TokenTrace } from "./token_trace.ts";

/** One decision. */
export interface Step {
  readonly stage: Stage;
  /** The resource, filter, route or policy that decided. */
  readonly name: string;
  /** The decision and its reason. */
  readonly why: string;
  /** Name of the route table, of a virtual host or route. */
  readonly table?: string;
  /** Name of the virtual host of a route. */
  readonly virtualHost?: string;
  /** Index of a route in its virtual host. */
  readonly index?: number;
  /** The evaluated rules, of an access filter. */
  readonly access?: AccessTrace;
  /** The evaluated token, of a token filter. */
  readonly token?: TokenTrace;
}

/** Stage of a decision, in the order of a call. */
export type Stage =
  | "listener"
  | "filter chain"
  | "TLS"
  | "network filter"
  | "virtual host"
  | "route"
  | "HTTP filter"
  | "cluster"
  | "endpoint";

/** One possible ending of the call. */
export type Ending = Share & (Forwarded | Answered | Closed | Undecided);

/** Share of calls with this ending: 0 to 1. */
interface Share {
  readonly share: number;
}

/** The call is forwarded to a cluster's endpoints. */
export interface Forwarded {
  readonly kind: "forwarded";
  readonly as: "HTTP" | "TCP";
  readonly cluster: string;
  /** Subset of the service, if the cluster's name has one. */
  readonly subset: string;
  readonly upstream: Upstream;
  /** The forwarded request; only for HTTP. */
  readonly request?: Sent;
}

/** The proxy responds itself. */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  /** Name of the filter or component that responds. */
  readonly by: string;
  readonly why: string;
  /** Location of a redirect. */
  readonly location?: string;
}

/** The connection is closed. */
export interface Closed {
  readonly kind: "closed";
  readonly by: string;
  readonly why: string;
}

/** The ending depends on something that is not modelled. */
export interface Undecided {
  readonly kind: "undecided";
  /** The unknown fact. */
  readonly why: string;
  /** An action that makes it known. */
  readonly remedy?: string;
}

/** A forwarded request. */
export interface Sent {
  readonly host: string;
  readonly path: string;
  /** Headers that are set, added (`+name`) or removed (`-name`), in order. */
  readonly headers: readonly string[];
  /** `x-forwarded-for` of the forwarded request; unset: it has none. */
  readonly forwardedFor?: string;
  /** `none` or for example `3s`. */
  readonly timeout: string;
  /** Number and conditions of retries; empty: none. */
  readonly retries: string;
  /** Clusters of mirrored requests. */
  readonly mirrors: readonly string[];
  /** Delay of a fault in milliseconds, and its share of calls. */
  readonly delay?: { readonly ms: number; readonly share: number };
}

/** Destination of a cluster's connections. */
export interface Upstream {
  /** Discovery type: `STATIC`, `EDS`, `STRICT_DNS`, `ORIGINAL_DST`, … */
  readonly discovery: string;
  readonly endpoints: readonly Target[];
}

/** An endpoint. */
export interface Target {
  /** `ip:port`, a socket's path, or an unresolved name with port. */
  readonly address: string;
  readonly weight: number;
  readonly priority: number;
  readonly locality: string;
  readonly healthy: boolean;
  /** `plaintext`, or the TLS of the connection. */
  readonly tls: string;
  /** The handshake with the endpoint; unset: plain text, or not modelled. */
  readonly handshake?: Handshake;
  /** The tunnel (HBONE) to the endpoint; unset: none. */
  readonly tunnel?: Tunnel;
}

/** A tunnel that a proxy opens. */
export interface Tunnel {
  /** `address:port` of the waypoint at which it ends; empty: at the endpoint. */
  readonly waypoint: string;
  /** Set if it leads to the gateway of another network: `host:port` of the service there. */
  readonly across?: string;
  /** Identities that this gateway may have; empty: any of the mesh. */
  readonly gateways?: readonly string[];
}

/** TLS of the proxy as a client. */
export interface Handshake {
  /** Empty: none is sent. */
  readonly serverName: string;
  readonly alpn: readonly string[];
  /** True: the proxy has a certificate of its own. */
  readonly mutual: boolean;
}

/** Result of a simulated call. */
export interface Verdict {
  readonly steps: readonly Step[];
  /** At least one; shares add up to 1. */
  readonly endings: readonly Ending[];
  /**
   * Parts of the configuration that are not modelled; the endings are valid if these have no
   * effect.
   */
  readonly unmodelled: readonly string[];
}
