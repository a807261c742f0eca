/**
 * What the simulator says of a call: the way it took, and how it ends.
 *
 * @module
 */

/** One decision on the way. */
export interface Step {
  readonly stage: Stage;
  /** The resource, filter, route or policy that decided. */
  readonly name: string;
  /** What was decided, and why. */
  readonly why: string;
}

/** Where a decision is made, in the order of a call's way. */
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

/** One way in which the call may end. */
export type Ending = Share & (Forwarded | Answered | Closed | Undecided);

/** How often calls like this end so: 0 to 1. */
interface Share {
  readonly share: number;
}

/** It goes on to a cluster's endpoints. */
export interface Forwarded {
  readonly kind: "forwarded";
  readonly as: "HTTP" | "TCP";
  readonly cluster: string;
  /** Subset of the service, where the cluster's name tells one. */
  readonly subset: string;
  readonly upstream: Upstream;
  /** The request as it is sent; HTTP alone. */
  readonly request?: Sent;
}

/** The proxy answers itself. */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  /** What answers. */
  readonly by: string;
  readonly why: string;
  /** Of a redirect. */
  readonly location?: string;
}

/** The connection is closed. */
export interface Closed {
  readonly kind: "closed";
  readonly by: string;
  readonly why: string;
}

/** It depends on something that is not modelled. */
export interface Undecided {
  readonly kind: "undecided";
  readonly why: string;
}

/** A request on its way out. */
export interface Sent {
  readonly host: string;
  readonly path: string;
  /** Headers that are set, added (`+name`) or removed (`-name`), in order. */
  readonly headers: readonly string[];
  /** `none` or for example `3s`. */
  readonly timeout: string;
  /** Attempts after the first, with what they are for; empty: none. */
  readonly retries: string;
  /** Clusters that are sent a copy. */
  readonly mirrors: readonly string[];
  /** Milliseconds that a fault holds the request up, and how often. */
  readonly delay?: { readonly ms: number; readonly share: number };
}

/** Where a cluster's connections go. */
export interface Upstream {
  /** How endpoints are found: `STATIC`, `EDS`, `STRICT_DNS`, `ORIGINAL_DST`, … */
  readonly discovery: string;
  readonly endpoints: readonly Target[];
}

/** An endpoint. */
export interface Target {
  /** `ip:port` or a socket's path; of names, before they are resolved. */
  readonly address: string;
  readonly weight: number;
  readonly priority: number;
  readonly locality: string;
  readonly healthy: boolean;
  /** `plaintext`, or what the proxy does in its handshake. */
  readonly tls: string;
}

/** What happens to a call. */
export interface Verdict {
  readonly steps: readonly Step[];
  /** At least one; shares add up to 1. */
  readonly endings: readonly Ending[];
  /** What is on the way and not modelled; the endings hold if it does nothing to the call. */
  readonly unmodelled: readonly string[];
}
