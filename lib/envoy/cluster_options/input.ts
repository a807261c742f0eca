/**
 * What the builders of clusters are given.
 *
 * @module
 */
import type { RouteAction_HashPolicy } from "#envoy/config/route/v3/route_components_pb.ts";
import type { MeshConfig_TLSConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type {
  ConnectionPoolSettings_TCPSettings_TcpKeepalive,
  LocalityLoadBalancerSetting,
  TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Decision, DecisionLog } from "../../base/mod.ts";
import type { Endpoint, ProxyLocality, Role, Service, ServicePort } from "../../model/mod.ts";
import type { MutualParameters, SecretNames } from "../authentication/mod.ts";
import type { SessionLabels } from "../core/mod.ts";
import type { Reach } from "../endpoints/mod.ts";

/** The record of why a cluster has its settings. */
export interface ClusterDecisions {
  /** Takes decisions about the cluster. */
  readonly log: DecisionLog;
  /** The source of each group of the traffic policy, by group; see `mergeTrafficPolicy`. */
  readonly policy: ReadonlyMap<string, Decision>;
}

/** What the mesh configuration, the environment and the proxies' kind decide for all clusters. */
export interface MeshClusterDefaults {
  /** Which of the durations below nobody set, so that they are the built-in ones. */
  readonly builtIn?: { readonly connectTimeout: boolean; readonly dnsRefreshRate: boolean };
  /** `connectTimeout` of the mesh, ms. */
  readonly connectTimeoutMs: number;
  /** `tcpKeepalive` of the mesh; rules override it field by field. */
  readonly tcpKeepalive?: ConnectionPoolSettings_TCPSettings_TcpKeepalive;
  /** How often DNS names are resolved again where the answer gives no lifetime, ms. */
  readonly dnsRefreshRateMs: number;
  /** Up to so much, ms, is added to each of those intervals; 0: nothing. */
  readonly dnsJitterMs: number;
  /** Address families of the proxies: which records a DNS name is asked for. */
  readonly family: "v4" | "v6" | "dual";
  /** Whether HTTP ports are upgraded to HTTP/2 by the mesh's `h2UpgradePolicy`. */
  readonly h2Upgrade: boolean;
  /** `localityLbSetting` of the mesh, for services whose rule has none; `undefined`: it is switched off. */
  readonly localityLb: LocalityLoadBalancerSetting | undefined;
  /** Localities share traffic by their weight in every cluster, not only where a setting asks for shares or an order. */
  readonly alwaysWeighLocalities: boolean;
  /** Endpoints that are not ready are sent too, so panic must never pick them. */
  readonly sendUnhealthyEndpoints: boolean;
  /** Whether `targetPort` counts for services without resolution. */
  readonly targetPortOfNone: boolean;
  /** Headless services are served by endpoints; default: clients go where they meant to. */
  readonly headlessEds?: boolean;
  /** Label that marks endpoints as draining; empty: none. */
  readonly drainingLabel: string;
  /** Whether TLS without a server name of its own takes that of each request. */
  readonly autoSni: boolean;
  /** `tlsDefaults` of the mesh: what TLS that is not its own is like; default: as Envoy has it. */
  readonly tls?: MeshConfig_TLSConfig | undefined;
  /** Labels of services whose sessions stay with one endpoint; default: none do. */
  readonly sessions?: SessionLabels;
  /** Of endpoints outside the mesh, what a rule says of TLS goes before what they say themselves. */
  readonly preferRuleTls: boolean;
  /** Whether services outside the mesh have their canonical service named in metadata. */
  readonly canonicalOutside: boolean;
  /** Forms of clusters' names in statistics, see `countedAs`; default: the clusters' own names. */
  readonly statNames?: { readonly inbound: string; readonly outbound: string };
  /** Whether services are named in metadata. */
  readonly telemetryLabel: boolean;
}

/** What a client needs to open mutual TLS. */
export interface MutualInput {
  readonly names: SecretNames;
  /** SPIFFE ids that the service's workloads may have; empty: any. */
  readonly identities: readonly string[];
  /** Default: Envoy's. */
  readonly parameters?: MutualParameters;
  /** Whether it is opened to endpoints that take it, where no rule says how (`enableAutoMtls`). */
  readonly automatic: boolean;
}

/** One cluster of a service. */
export interface OutboundClusterInput {
  readonly service: Service;
  readonly port: ServicePort;
  /** The subset it is for; `undefined`: the whole service. */
  readonly subset?: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  /** Merged, see `mergeTrafficPolicy`. */
  readonly policy: TrafficPolicy | undefined;
  /** The service's endpoints; looked at for DNS resolutions alone, the others are served apart. */
  readonly endpoints: readonly Endpoint[];
  readonly mesh: MeshClusterDefaults;
  /** Key of the rule that won, `namespace/name`. */
  readonly rule?: string;
  /** Gateways see no original destination: for them services without resolution are served by endpoints. Default `sidecar`. */
  readonly role?: Role;
  /** Mutual TLS of the client; `undefined`: it has no certificate. */
  readonly mutual?: MutualInput;
  /** Whether an endpoint's port takes mutual TLS; looked at for DNS resolutions alone. */
  readonly takesMutual?: (endpoint: Endpoint, port: number) => boolean;
  /** Where the proxies are, and how other networks are reached from there; looked at for DNS resolutions alone. */
  readonly place?: ProxyLocality;
  readonly reach?: Reach;
  /** Whether the rule selects the proxies: then it may name credentials of sidecars, too. */
  readonly selected?: boolean;
  /**
   * What requests are hashed by, where their routes cannot say it: the rule is for
   * some of the proxies alone that share these routes.
   */
  readonly hashPolicy?: readonly RouteAction_HashPolicy[];
  readonly decisions?: ClusterDecisions | undefined;
}

/** What an inbound cluster depends on of {@link MeshClusterDefaults}. */
export type InboundDefaults = Pick<
  MeshClusterDefaults,
  "connectTimeoutMs" | "tcpKeepalive" | "family" | "telemetryLabel" | "statNames"
>;
