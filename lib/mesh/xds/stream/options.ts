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
import type { LearnedScopes } from "../learned/mod.ts";
import type { XdsLimits } from "./limits.ts";
import type { LaterTimer } from "./retries.ts";
import type { XdsObserver } from "./observe.ts";

/** Result of the authorization of a client. */
export interface AuthorizedClient {
  /** The SPIFFE id that it proved; absent: none is needed. */
  readonly identity?: string;
  /**
   * True: it may read the credentials of its namespace. Absent: it has no identity, and
   * `localCredentials` decides.
   */
  readonly readsCredentials?: boolean;
  /** True: its namespace is proved, see `ProxyNode`. Absent: as `readsCredentials`. */
  readonly readsReferred?: boolean;
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
  /** Names that were asked for on demand; without it none are remembered, and nothing is made on demand. */
  readonly learned?: LearnedScopes;
  /** Returns the configuration objects of a rejected resource. */
  readonly culprits?: (view: View, name: string) => readonly Culprit[];
}
