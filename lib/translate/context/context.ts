/**
 * The context of translation: the mesh, the switches, and the tables that several others read.
 *
 * @module
 */
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { AuthorizationFilters, TelemetryResult } from "../../envoy/mod.ts";
import {
  type Derived,
  type KeyCodec,
  keyOf,
  list,
  oneOf,
  type Read,
  text,
} from "../../graph/mod.ts";
import type { ProxyClass, Role } from "../../model/mod.ts";
import type { Features } from "./features.ts";
import type { TelemetryKey } from "./telemetry_key.ts";

/** The part of the context that needs no table of translation. */
export interface BaseContext {
  readonly mesh: Mesh;
  readonly features: Features;
  /** Id of the cluster that endpoints of files belong to. */
  readonly clusterId: string;
}

/** The mesh, the switches, and the tables that several others read. */
export interface Context extends BaseContext {
  /** Key of a class → the class. */
  readonly classes: Derived<ProxyClass>;
  readonly security: SecurityTables;
  /** Settings of clusters and routes from the proxy configuration of the mesh. */
  readonly settings: ReadShared;
  readonly telemetry: TelemetryTable;
}

/** Settings of clusters that come from the configuration of proxies. */
export interface ClusterSettings {
  /** HTTP/1 headers keep their case. */
  readonly keepCase: boolean;
  /** Bytes of a connection that are buffered while the peer does not read; `undefined`: Envoy's default. */
  readonly bufferBytes?: number;
}

/** Settings of routes that come from the configuration of proxies. */
export interface RouteSettings {
  /** Requests do not carry the number of the attempt. */
  readonly hideAttempts: boolean;
  /** A rewritten host is sent along as `x-forwarded-host`. */
  readonly forwardHost: boolean;
}

/** Settings of all clusters and routes of the mesh, from `defaultConfig`. */
export interface SharedSettings {
  readonly clusters: ClusterSettings;
  readonly routes: RouteSettings;
}

/** Reads a part of {@link SharedSettings}. Each part is a cell of its own. */
export type ReadShared = <P extends keyof SharedSettings>(read: Read, part: P) => SharedSettings[P];

/** Telemetry resources → access logs, metrics and tracing of listeners. */
export type TelemetryTable = Derived<TelemetryResult, TelemetryKey>;

/** The filters of security policies. */
export interface SecurityTables {
  /** The filters of AuthorizationPolicies. */
  readonly authorization: Derived<AuthorizationFilters, PolicyKeys>;
  /** Their filters in proxyless gRPC servers. */
  readonly proxyless: Derived<ProxylessFilters, PolicyKeys>;
  readonly tokens: Derived<TokenFilter, TokenPolicies>;
  /** Key `all` → URIs of key sets that this program fetches. */
  readonly wantedKeySets: Derived<readonly string[]>;
}

/** Row keys of policies, in order. */
export type PolicyKeys = readonly string[];

/** The codec of {@link PolicyKeys}. */
export const policyKeys: KeyCodec<PolicyKeys> = list(text);

/** RequestAuthentications, and the role of the proxy that they apply to. */
export interface TokenPolicies {
  readonly role: Role;
  readonly policies: PolicyKeys;
}

/** The codec of {@link TokenPolicies}. */
export const tokenPolicies: KeyCodec<TokenPolicies> = keyOf<TokenPolicies>({
  role: oneOf<Role>("sidecar", "router"),
  policies: policyKeys,
});

/** The filter that verifies tokens, if there is one. */
export interface TokenFilter {
  readonly filter?: HttpFilter | undefined;
  /** Equal digests mean equal filters. */
  readonly digest: string;
}

/** The filters of a proxyless gRPC server. */
export interface ProxylessFilters {
  readonly filters: readonly HttpFilter[];
  /** Equal digests mean equal filters. */
  readonly digest: string;
}
