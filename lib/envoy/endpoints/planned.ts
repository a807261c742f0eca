/**
 * Types of a plan: which endpoints a cluster has, by locality, priority and weight.
 *
 * @module
 */
import type { LocalityLoadBalancerSetting } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { NetworkGateway } from "../../derive/mod.ts";
import type { Endpoint, Locality, ProxyLocality } from "../../model/mod.ts";

/** What is known of networks. */
export interface Reach {
  /** The network an endpoint is in; `""`: none, so that everybody reaches it. */
  readonly networkOf: (endpoint: Endpoint) => string;
  /** Network → how it is entered. Endpoints of networks that are not in it are reached directly. */
  readonly gateways: ReadonlyMap<string, readonly NetworkGateway[]>;
}

/** What an assignment is made from. */
export interface AssignmentInput {
  readonly clusterName: string;
  readonly endpoints: readonly Endpoint[];
  /** Name of the service's port; endpoints without that port are left out. */
  readonly portName: string;
  /** Labels that endpoints must have; `undefined`: all endpoints. */
  readonly subsetLabels?: Readonly<Record<string, string>>;
  /** Whether endpoints name their workload, for metrics on the client's side. */
  readonly telemetryLabel?: boolean;
  /** The canonical service of endpoints that say nothing of theirs; default: their workload. */
  readonly canonical?: Canonical;
  /** Endpoints that are not ready are sent too, marked so; else they are left out. */
  readonly sendUnhealthy?: boolean;
  /** Endpoints with this label are sent as draining; empty or left out: none. */
  readonly drainingLabel?: string;
  /** Addresses may be host names, because Envoy will resolve them. */
  readonly hostNames?: boolean;
  /** Whether an endpoint's port takes mutual TLS; default: none does. */
  readonly mutual?: (endpoint: Endpoint, port: number) => boolean;
  /** Where the proxy stands; `undefined`: where it makes no difference. */
  readonly place?: ProxyLocality;
  /** What the policy says about localities; looked at with a place alone. */
  readonly localityRule?: LocalityRule;
  /** How other networks are reached; looked at with a place alone. */
  readonly reach?: Reach;
}

/** An endpoint as it is sent. */
export interface PlannedEndpoint {
  readonly endpoint: Endpoint;
  /** 0 for Unix sockets. */
  readonly port: number;
  /** From 1. */
  readonly weight: number;
  readonly health: Endpoint["health"];
  /** Empty: no telemetry label. */
  readonly label: string;
  /** Whether clients open mutual TLS to it. */
  readonly mutual: boolean;
  /** The network it is in; empty: none. */
  readonly network: string;
}

/** The endpoints of one locality. */
export interface PlannedLocality {
  readonly locality: Locality;
  /** Sum of the endpoints'. */
  readonly weight: number;
  readonly endpoints: readonly PlannedEndpoint[];
  /** From 0: the next one takes over when too many of those before are left out. */
  readonly priority: number;
}

/** What a service is to whoever counts, whatever its hosts are. */
export interface Canonical {
  readonly name: string;
  readonly revision: string;
}

/** What a cluster's policy says about localities. */
export interface LocalityRule {
  readonly setting: LocalityLoadBalancerSetting;
  /**
   * Whether endpoints found bad are left out (outlier detection). Without that
   * nobody would ever stand in, so priorities are given with it alone.
   */
  readonly failsOver: boolean;
}
