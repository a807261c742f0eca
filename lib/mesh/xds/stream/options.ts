/**
 * Options of a discovery server.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import type { BindingSource, ProxyNode } from "../../model/mod.ts";
import type { RpcCall } from "../../../kit/rpc/mod.ts";
import type { QueryOptions } from "../query/mod.ts";
import type { Culprit } from "../quarantine/mod.ts";
import type { LaterTimer } from "./retries.ts";
import type { XdsObserver } from "./observe.ts";

/** Bounds of the server. Each has a default. */
export interface XdsLimits {
  /** Bytes of an encoded node (1 MiB). */
  readonly maxNode?: number;
  /** Bytes of one resource name (2048). */
  readonly maxName?: number;
  /** Names one stream may ask for (100,000). */
  readonly maxNames?: number;
  /**
   * Approximate maximum bytes of the subscribed names and the reported versions of one stream (16
   * MiB).
   */
  readonly maxNameBytes?: number;
  /** Bytes of the names of all streams, each name counted once, about (24 MiB). */
  readonly maxNameTable?: number;
  /** Types one stream may ask for (64). */
  readonly maxTypes?: number;
  /** Bytes of one delta response, about (128 KiB: measured, a quarter less CPU and a seventh less memory than 1 MiB in a first sync). */
  readonly slice?: number;
  /** Bytes that may wait in the transport of one stream before more is made (64 KiB). */
  readonly pending?: number;
  /**
   * Bytes that clients have yet to take, beyond which no more first syncs begin (16 MiB: as much as
   * eighty clients that do not read hold).
   */
  readonly allowance?: number;
  /** Time for which a slow client keeps its slot, milliseconds (1 s). */
  readonly slotMs?: number;
  /**
   * Time without progress after which the stream of a slow client is ended, milliseconds (30 s).
   */
  readonly stallMs?: number;
  /** Idle time on a stream before removals are sent, milliseconds (1 s). */
  readonly settleMs?: number;
  /** Longest time removals wait, for quiet and for acknowledgements, milliseconds (10 s). */
  readonly drainMs?: number;
  /** Longest time that routes wait for a client to take the endpoints of new clusters, milliseconds (2 s). */
  readonly warmMs?: number;
  /** Maximum time that a new stream waits for admission, milliseconds (30 s). */
  readonly admitMs?: number;
  /** Bytes of first requests of streams that wait for their turn (128 MiB). */
  readonly admitBytes?: number;
}

/** Result of the authorization of a client. */
export interface AuthorizedClient {
  /** The SPIFFE id that it proved; absent: none is needed. */
  readonly identity?: string;
  /**
   * True: it may read the credentials of its namespace. Absent: it has no identity, and
   * `localCredentials` decides.
   */
  readonly readsCredentials?: boolean;
  /** Id of the remote cluster whose credentials these are; absent: those of the daemon's cluster. */
  readonly credentialCluster?: string;
}

/** Options of a server. */
export interface XdsOptions extends QueryOptions {
  /**
   * Authenticates the client of a stream, and decides whether it may be the proxy that its node says.
   * Rejects with `RpcError`. Without it every client is accepted.
   */
  readonly authorize?: (call: RpcCall, node: ProxyNode) => Promise<AuthorizedClient>;
  /**
   * True: clients on this machine read the credentials of the namespace that they claim, without an
   * identity. Default: no identity, no credentials.
   */
  readonly localCredentials?: boolean;
  readonly source: BindingSource;
  /** Monotonic milliseconds with fractions. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Name of this instance, for `control_plane.identifier`. */
  readonly pod: string;
  /** A text no other instance and no earlier life of this one has: nonces begin with it. */
  readonly instance: string;
  /** Streams sent to at the same time; see `derivedThrottle`. */
  readonly pushes: number;
  /** New streams a second; see `derivedRequestRate`. */
  readonly requestRate: number;
  readonly limits?: XdsLimits;
  /** Runs something later, for what is tried again after minutes; `setTimeout` when it is not given. */
  readonly timer?: LaterTimer;
  /** During a publication: time of its first change, by `now`; used for the convergence time. */
  readonly changedAt?: () => number | undefined;
  /** Observers of what is sent and answered. */
  readonly observers?: readonly XdsObserver[];
  /** Returns the configuration objects of a rejected resource. */
  readonly culprits?: (view: View, name: string) => readonly Culprit[];
}
