/**
 * The context of translation: the mesh, the switches, and the tables that several others read. The
 * switches are plain data: translation reads no environment.
 *
 * @module
 */
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { Mesh } from "../../derive/mod.ts";
import type {
  AuthorizationFilters,
  KnownProtocol,
  SessionLabels,
  TelemetryResult,
} from "../../envoy/mod.ts";
import {
  converted,
  type Derived,
  type KeyCodec,
  keyOf,
  list,
  oneOf,
  type Read,
  text,
} from "../../graph/mod.ts";
import type { OmittedFeature, Protocol, ProxyClass, Role } from "../../model/mod.ts";

/** The tunnels of the mesh. Waypoints have them whatever these say. */
export interface TunnelFeatures {
  /** Proxies send through tunnels to workloads that accept them. */
  readonly sending: boolean;
  /** Sidecars accept tunnels, if their metadata asks for it. */
  readonly listening: boolean;
  /** Tunnels go before mutual TLS where a workload accepts both. */
  readonly preferring: boolean;
}

/** Tunnels between networks: who sends through them, besides node proxies and sidecars. */
export interface NetworkFeatures {
  /** Waypoints do. */
  readonly waypoints: boolean;
  /** Gateways do. */
  readonly gateways: boolean;
}

/** Features that several folders read. The other features are declared in the folders that read them. */
export interface SharedFeatures {
  /** Keep 503 out of the default retry policy for requests that are unsafe to repeat. */
  readonly excludeUnsafe503: boolean;
  /** Sessions stay with one endpoint for services with one of these labels; `undefined`: for none. */
  readonly sessions?: SessionLabels;
  /** Parses the document database's protocol, for statistics. */
  readonly documentFilter: boolean;
  /** Speak the key-value store's protocol towards clients, request by request. */
  readonly keyValueFilter: boolean;
  /** Hosts without addresses get auto-allocated ones for every proxy; otherwise for those that request it. */
  readonly autoAllocateAddresses: boolean;
  /** TLS of proxies is limited to what FIPS 140-2 allows (`COMPLIANCE_POLICY`). */
  readonly fips: boolean;
  /** Tunnels (HBONE) between proxies; absent: there are none. */
  readonly tunnels?: TunnelFeatures | undefined;
  /** Global services of other networks are reached by tunnels; absent: they are not. */
  readonly networks?: NetworkFeatures | undefined;
}

/** The part of the context that needs no table of translation. */
export interface BaseContext<F = unknown> {
  readonly mesh: Mesh;
  readonly features: SharedFeatures & F;
  /** Id of the cluster that endpoints of files belong to. */
  readonly clusterId: string;
  /** Cluster id by alias: proxies may name their cluster by an alias. */
  readonly clusterAliases?: ReadonlyMap<string, string>;
}

/** The mesh, the switches, and the tables that several others read. */
export interface Context<F = unknown> extends BaseContext<F> {
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

/** Reads a part of {@link SharedSettings}. Each part is a separate cell. */
export type ReadShared = <P extends keyof SharedSettings>(read: Read, part: P) => SharedSettings[P];

/** Telemetry resources → access logs, metrics and tracing of listeners. */
export type TelemetryTable = Derived<TelemetryResult, TelemetryKey>;

/** The Telemetry resources that apply to a workload, and whether it can reach its tracer. */
export interface TelemetryKey {
  /** Row keys of the resources, as `Mesh.telemetry`. */
  readonly resources: readonly string[];
  /**
   * The workload may lack the cluster of a tracer that Envoy rejects without it. Then nothing is
   * traced.
   */
  readonly tracerMissing: boolean;
  /** Features that the proxy lacks, sorted; absent: none. */
  readonly missing?: readonly OmittedFeature[] | undefined;
}

const names: KeyCodec<readonly string[]> = list(text);

/** Marks keys with a missing tracer. No resource's name contains it. */
const TRACER_MISSING = "!";

/** Separates features that the proxy lacks. No resource's name contains it. */
const FEATURE_MISSING = "?";

/** The codec of telemetry keys. */
export const telemetryKeys: KeyCodec<TelemetryKey> = converted(text, {
  encode: ({ resources, tracerMissing, missing = [] }: TelemetryKey) =>
    names.encode(resources) + (tracerMissing ? TRACER_MISSING : "") +
    missing.map((feature) => FEATURE_MISSING + feature).join(""),
  decode: (key) => {
    const [rest = "", ...missing] = key.split(FEATURE_MISSING);
    const tracerMissing = rest.endsWith(TRACER_MISSING);
    const resources = tracerMissing ? rest.slice(0, -TRACER_MISSING.length) : rest;
    return {
      resources: names.decode(resources),
      tracerMissing,
      ...(missing.length === 0 ? {} : { missing: missing as OmittedFeature[] }),
    };
  },
});

/** The filters of security policies. */
export interface SecurityTables {
  /** The filters of AuthorizationPolicies. */
  readonly authorization: Derived<AuthorizationFilters, PolicyKeys>;
  /** The same for connections through tunnels, which have the identities of their clients. */
  readonly tunnelled: Derived<AuthorizationFilters, PolicyKeys>;
  /** Their filters in proxyless gRPC servers. */
  readonly proxyless: Derived<RequestFilters, PolicyKeys>;
  /** Their filters at gateways that take tunnels and forward what is in them. */
  readonly entrance: Derived<RequestFilters, PolicyKeys>;
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
  role: oneOf<Role>("sidecar", "router", "waypoint"),
  policies: policyKeys,
});

/** The filter that verifies tokens, if there is one. */
export interface TokenFilter {
  readonly filter?: HttpFilter | undefined;
  /** Equal digests mean equal filters. */
  readonly digest: string;
}

/** The filters of requests to a server. */
export interface RequestFilters {
  readonly filters: readonly HttpFilter[];
  /** Equal digests mean equal filters. */
  readonly digest: string;
}

/** Returns the protocol of a port if Envoy parses it. */
export function knownProtocol(
  { documentFilter, keyValueFilter }: SharedFeatures,
  protocol: Protocol,
): KnownProtocol | undefined {
  if (protocol === "Mongo" && documentFilter) return "document";
  return protocol === "Redis" && keyValueFilter ? "key-value" : undefined;
}
