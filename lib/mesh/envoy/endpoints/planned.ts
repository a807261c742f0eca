/**
 * Types of a plan: which endpoints a cluster has, by locality, priority and weight.
 *
 * @module
 */
import type { LocalityLoadBalancerSetting } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Endpoint, Locality, NetworkGateway, ProxyLocality } from "../../model/mod.ts";

/** Networks and their gateways. */
export interface Reach {
  /** Returns the network of an endpoint; `""`: none, so every client reaches it directly. */
  readonly networkOf: (endpoint: Endpoint) => string;
  /** Network → its gateways. Endpoints in networks without an entry are reached directly. */
  readonly gateways: ReadonlyMap<string, readonly NetworkGateway[]>;
}

/** Input of an endpoint assignment. */
export interface AssignmentInput {
  readonly clusterName: string;
  readonly endpoints: readonly Endpoint[];
  /** Name of the service's port; endpoints without that port are omitted. */
  readonly portName: string;
  /** Labels that endpoints must have; `undefined`: all endpoints. */
  readonly subsetLabels?: Readonly<Record<string, string>>;
  /** Labels of the topology that endpoints have besides their own, for subsets; default: none. */
  readonly topologyOf?: (endpoint: Endpoint) => Readonly<Record<string, string>>;
  /** True: endpoints name their workload, for client-side metrics. */
  readonly telemetryLabel?: boolean;
  /** Canonical service of endpoints that do not name one; default: their workload. */
  readonly canonical?: Canonical;
  /** True: endpoints that are not ready are sent with their health; otherwise they are omitted. */
  readonly sendUnhealthy?: boolean;
  /** True: endpoints that terminate are sent as draining, because sessions stay with them. */
  readonly keepDraining?: boolean;
  /** Endpoints with this label are sent as draining; empty or unset: none. */
  readonly drainingLabel?: string;
  /** True: addresses may be host names, because Envoy resolves them. */
  readonly hostNames?: boolean;
  /** Reports if an endpoint's port accepts mutual TLS; default: none does. */
  readonly mutual?: (endpoint: Endpoint, port: number) => boolean;
  /** Returns the tunnel to an endpoint's port; `undefined`: none. Default: there are no tunnels. */
  readonly tunnel?: ((endpoint: Endpoint, port: number) => TunnelTo | undefined) | undefined;
  /** Locality of the proxy; `undefined` if it has no effect. */
  readonly proxyLocality?: ProxyLocality;
  /** Locality settings of the policy; used only with a locality. */
  readonly localityRule?: LocalityRule;
  /** Gateways to other networks; used only with a locality. */
  readonly reach?: Reach;
  /** Tunnels to other networks; absent: gateways by server name alone. Used only with a locality. */
  readonly across?: AcrossNetworks | undefined;
}

/** The tunnel (HBONE) to an endpoint. */
export interface TunnelTo {
  /** `address:port` of the destination. */
  readonly to: string;
  /** `address:port` of the waypoint at which the tunnel ends; empty: at the destination itself. */
  readonly waypoint: string;
  /** Identities that its end may have, separated by commas; empty: any identity of the mesh. */
  readonly identity: string;
  /** Set if `to` is the gateway of another network: the tunnel has an inner one, to a service. */
  readonly across?: {
    /** `host:port`. */
    readonly service: string;
    /** Identities that the gateway may have; empty: any of the mesh. */
    readonly gateway: string;
  };
}

/** Tunnels to endpoints in other networks. */
export interface AcrossNetworks {
  /** `host:port` of the service. */
  readonly service: string;
  /** False: endpoints there are omitted. */
  readonly allowed: boolean;
  /** True: endpoints of networks without gateways are omitted; false: they are reached directly. */
  readonly strict: boolean;
  /** Identities that a workload may have, separated by commas; empty: they are not known. */
  identities(endpoint: Endpoint): string;
  /** The gateways of a network that take tunnels. */
  gateways(network: string): readonly TunnelEntrance[];
}

/** A gateway that takes tunnels into its network. */
export interface TunnelEntrance {
  /** IP address. */
  readonly address: string;
  readonly port: number;
  /** Both, as `address:port`. */
  readonly to: string;
  /** Identities that it may have, separated by commas. */
  readonly identity: string;
}

/** An endpoint as it is sent. */
export interface PlannedEndpoint {
  readonly endpoint: Endpoint;
  /** 0 for Unix sockets. */
  readonly port: number;
  /** At least 1. */
  readonly weight: number;
  readonly health: Endpoint["health"];
  /** Empty: no telemetry label. */
  readonly label: string;
  /** True: clients use mutual TLS. */
  readonly mutual: boolean;
  /** Clients use this tunnel, and no mutual TLS. */
  readonly tunnel?: TunnelTo | undefined;
  /** The network of the endpoint; empty: none. */
  readonly network: string;
}

/** The endpoints of one locality. */
export interface PlannedLocality {
  readonly locality: Locality;
  /** Sum of the weights of the endpoints. */
  readonly weight: number;
  readonly endpoints: readonly PlannedEndpoint[];
  /**
   * From 0. The next priority is used when too many endpoints of the previous ones are unhealthy or
   * ejected.
   */
  readonly priority: number;
}

/** Canonical service and revision of a service, for telemetry. */
export interface Canonical {
  readonly name: string;
  readonly revision: string;
}

/** Locality settings of a cluster's policy. */
export interface LocalityRule {
  readonly setting: LocalityLoadBalancerSetting;
  /**
   * True: outlier detection is enabled. Without it Envoy never fails over, so priorities are set
   * only with it.
   */
  readonly failsOver: boolean;
}
