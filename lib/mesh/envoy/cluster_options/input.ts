/**
 * Input of the cluster builders.
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
import type { Decision, DecisionLog } from "../../../kit/base/mod.ts";
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

/** Defaults for all clusters from the mesh configuration, the environment and the proxy type. */
export interface MeshClusterDefaults {
  /** Marks durations that are not configured, so their values are the built-in defaults. */
  readonly builtIn?: { readonly connectTimeout: boolean; readonly dnsRefreshRate: boolean };
  /** `connectTimeout` of the mesh, ms. */
  readonly connectTimeoutMs: number;
  /** `tcpKeepalive` of the mesh; rules override it field by field. */
  readonly tcpKeepalive?: ConnectionPoolSettings_TCPSettings_TcpKeepalive;
  /** Interval of DNS resolution if the response has no TTL, ms. */
  readonly dnsRefreshRateMs: number;
  /** Maximum random time that is added to each interval, ms; 0: none. */
  readonly dnsJitterMs: number;
  /** Address families of the proxies. They decide which DNS records are requested. */
  readonly family: "v4" | "v6" | "dual";
  /** True: the mesh's `h2UpgradePolicy` upgrades HTTP ports to HTTP/2. */
  readonly h2Upgrade: boolean;
  /** `localityLbSetting` of the mesh, for services whose rule has none; `undefined`: disabled. */
  readonly localityLb: LocalityLoadBalancerSetting | undefined;
  /**
   * True: localities are weighted in every cluster, not only if a setting defines distribution or
   * failover.
   */
  readonly alwaysWeighLocalities: boolean;
  /** True: the proxies cannot weigh localities and utilization at once; localities are weighed. */
  readonly lacksUtilization?: boolean | undefined;
  /** True: endpoints that are not ready are sent too, so panic mode must never select them. */
  readonly sendUnhealthyEndpoints: boolean;
  /** True: `targetPort` applies to services without resolution. */
  readonly targetPortOfNone: boolean;
  /** True: headless services use EDS; default: the original destination. */
  readonly headlessEds?: boolean;
  /** Label of draining endpoints; empty: none. */
  readonly drainingLabel: string;
  /** True: TLS without a configured server name uses the host of each request. */
  readonly autoSni: boolean;
  /** `tlsDefaults` of the mesh for TLS outside mutual TLS; default: Envoy's. */
  readonly tls?: MeshConfig_TLSConfig | undefined;
  /** Labels of services with sticky sessions; default: none. */
  readonly sessions?: SessionLabels;
  /**
   * True: for endpoints outside the mesh, the rule's TLS settings override the endpoints' own
   * declaration.
   */
  readonly preferRuleTls: boolean;
  /** True: metadata names the canonical service of services outside the mesh. */
  readonly canonicalOutside: boolean;
  /** Formats of cluster names in statistics, see `statisticsName`; default: the cluster names. */
  readonly statNames?: { readonly inbound: string; readonly outbound: string };
  /** True: metadata names the services. */
  readonly telemetryLabel: boolean;
  /** True: metadata of endpoints in the cluster names their workloads. */
  readonly endpointTelemetryLabel: boolean;
}

/** Settings of a client for mutual TLS. */
export interface MutualInput {
  readonly names: SecretNames;
  /** Accepted SPIFFE ids of the service's workloads; empty: any. */
  readonly identities: readonly string[];
  /** Default: Envoy's defaults. */
  readonly parameters?: MutualParameters;
  /**
   * True: mutual TLS is used for endpoints that accept it if no rule has TLS settings
   * (`enableAutoMtls`).
   */
  readonly automatic: boolean;
  /** True: endpoints may have tunnels; see `TunnelTo`. Default: they have none. */
  readonly tunnels?: boolean;
}

/** One cluster of a service. */
export interface OutboundClusterInput {
  readonly service: Service;
  readonly port: ServicePort;
  /** The subset of the cluster; `undefined`: the whole service. */
  readonly subset?: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  /** Merged, see `mergeTrafficPolicy`. */
  readonly policy: TrafficPolicy | undefined;
  /** The service's endpoints; used only for DNS resolution, because EDS serves the others. */
  readonly endpoints: readonly Endpoint[];
  readonly mesh: MeshClusterDefaults;
  /** Key of the selected rule, `namespace/name`. */
  readonly rule?: string;
  /**
   * Gateways have no original destination, so services without resolution use EDS there. Default
   * `sidecar`.
   */
  readonly role?: Role;
  /** Mutual TLS of the client; `undefined`: it has no certificate. */
  readonly mutual?: MutualInput;
  /** Reports if an endpoint's port accepts mutual TLS; used only for DNS resolution. */
  readonly takesMutual?: (endpoint: Endpoint, port: number) => boolean;
  /**
   * Reports if all known instances of a port accept mutual TLS, and there are some; used only for
   * connections to original destinations. Default: they do not.
   */
  readonly instancesTakeMutual?: (port: ServicePort) => boolean;
  /** Labels of the topology that endpoints have besides their own, for subsets; default: none. */
  readonly topologyOf?: (endpoint: Endpoint) => Readonly<Record<string, string>>;
  /** Locality of the proxies, and the gateways to other networks; used only for DNS resolution. */
  readonly proxyLocality?: ProxyLocality;
  readonly reach?: Reach;
  /** True: the rule selects the proxies by label, so it may use credentials of sidecars. */
  readonly selected?: boolean;
  /** Secret with the certificate that a gateway shows to services with TLS of a BackendTLSPolicy. */
  readonly clientCertificate?: string | undefined;
  /** True: the authorities that the policy names are served to all proxies; default: to gateways. */
  readonly authorities?: boolean;
  /**
   * Hash policy of requests. It is set if their routes cannot have it, because the rule applies
   * only to some of the proxies that share the routes.
   */
  readonly hashPolicy?: readonly RouteAction_HashPolicy[];
  readonly decisions?: ClusterDecisions | undefined;
}

/** The parts of {@link MeshClusterDefaults} that an inbound cluster depends on. */
export type InboundDefaults = Pick<
  MeshClusterDefaults,
  "connectTimeoutMs" | "tcpKeepalive" | "family" | "telemetryLabel" | "statNames"
>;
