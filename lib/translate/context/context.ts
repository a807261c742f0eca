/**
 * The context of translation: the mesh, the switches, and the tables that several others read.
 *
 * @module
 */
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { AuthorizationFilters, TelemetryResult } from "../../envoy/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import type { ProxyClass, Role } from "../../model/mod.ts";
import type { Features } from "./features.ts";

/** The mesh, the switches, and the classes in use. */
export interface Context {
  readonly mesh: Mesh;
  readonly features: Features;
  /** Id of the cluster that endpoints of files belong to. */
  readonly clusterId: string;
  /** Key of a class → the class. */
  readonly classes: Derived<ProxyClass>;
  /** What guards workloads. */
  readonly guards: Guards;
  /** What the configuration of proxies says of clusters and routes. */
  readonly settings: ReadShared;
  /** What is logged, counted and traced; see `telemetryKey`. */
  readonly signals: SignalTable;
}

/** What clusters take of a proxy's configuration. */
export interface ClusterSettings {
  /** HTTP/1 headers keep the case they came in. */
  readonly keepCase: boolean;
  /** How much of a connection's bytes is kept while the other side does not read; `undefined`: Envoy's own bound. */
  readonly bufferBytes?: number;
}

/** What routes take of it. */
export interface RouteSettings {
  /** Servers are not told the number of the attempt. */
  readonly hideAttempts: boolean;
  /** Where the host is rewritten, the one that the client asked for goes along. */
  readonly forwardHost: boolean;
}

/** What clusters and routes of the whole mesh take of `defaultConfig`, apart from what else is said there. */
export interface SharedSettings {
  readonly clusters: ClusterSettings;
  readonly routes: RouteSettings;
}

/** Reads {@link SharedSettings}; their table is one cell a part, equal by content. */
export type ReadShared = <P extends keyof SharedSettings>(read: Read, part: P) => SharedSettings[P];

/** The table of signals: see {@link telemetryKey}. */
export type SignalTable = Derived<TelemetryResult>;

/** Row keys of policies, in order. */
export type PolicyKeys = readonly string[];

/** RequestAuthentications as they apply to a proxy of a role. */
export interface TokensKey {
  readonly role: Role;
  readonly policies: PolicyKeys;
}

/** The tables of filters. */
export interface Guards {
  /** The filters of AuthorizationPolicies. */
  readonly authorization: Derived<AuthorizationFilters, PolicyKeys>;
  /** The same for servers whose gRPC library speaks xDS. */
  readonly libraries: Derived<LibraryGuard, PolicyKeys>;
  /** The filter of RequestAuthentications. */
  readonly tokens: Derived<TokenGuard, TokensKey>;
  /** `all` → URIs of key sets that the daemon fetches. */
  readonly wantedKeySets: Derived<readonly string[]>;
}

/** The filter that verifies tokens, if any. */
export interface TokenGuard {
  readonly filter?: HttpFilter;
  /** Equal digests, equal filters. */
  readonly digest: string;
}

/** The filters of a gRPC library. */
export interface LibraryGuard {
  readonly filters: readonly HttpFilter[];
  /** Equal digests, equal filters. */
  readonly digest: string;
}
