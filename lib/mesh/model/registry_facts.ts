/**
 * Facts about an orchestrator's Services and pods that ServiceEntry and WorkloadEntry have no fields
 * for.
 *
 * @module
 */

/** Facts about one endpoint of a Service. */
export interface EndpointFacts {
  /** `draining`: the endpoint terminates and still serves. */
  readonly health: "healthy" | "unhealthy" | "draining";
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the workload (Deployment, StatefulSet and so on) of the pod. */
  readonly workload: string;
  /** Host name below that of a headless Service; empty: none. */
  readonly hostname: string;
  /** Name of the node; empty: unknown. */
  readonly node: string;
  /** True for a pod: only its label says if its proxy terminates mutual TLS. */
  readonly pod: boolean;
  /** True for a pod whose traffic its node's proxy carries; absent: its own proxy does, or none. */
  readonly redirected?: boolean;
}

/** The kind of the controller that made a pod. */
export type WorkloadKind = "deployment" | "cronjob" | "pod" | "job";

/** Facts about a pod for node proxies. */
export interface PodFactsOfAmbient {
  /** Its addresses of all families. */
  readonly addresses: readonly string[];
  readonly kind: WorkloadKind;
  /** True if it has the network of its node. */
  readonly hostNetwork: boolean;
  /** Name of a container's port → its number. */
  readonly ports: Readonly<Record<string, number>>;
  /** True if its traffic is redirected to the node proxy. */
  readonly redirected: boolean;
}

/** Facts about a Service for node proxies. */
export interface ServiceFactsOfAmbient {
  /** Labels of its pods; empty: it selects none. */
  readonly selector: Readonly<Record<string, string>>;
  /** Number of a port → port of the pods, a number or the name of a container's port. */
  readonly targets: Readonly<Record<number, number | string>>;
  /** `IPv4`, `IPv6` or both; empty: not known. */
  readonly families: readonly string[];
  /** True if endpoints that are not ready are used. */
  readonly publishUnready: boolean;
  /** The network of its cluster; empty: none. */
  readonly network: string;
  /** Numbers of the endpoints that are no pods. */
  readonly others: readonly number[];
}

/** Label of pods and WorkloadEntries with the name of their workload. */
export const WORKLOAD_NAME = "service.mesh.io/workload-name";

/** Preference of a Service for endpoints near the client. */
export type Distribution = "any" | "same-zone" | "same-node";

/** Annotation of Services and ServiceEntries with a preference for endpoints near the client. */
export const DISTRIBUTION = "networking.mesh.io/traffic-distribution";

/**
 * The preference that a text names; any other text is none. `PreferClose` is the older name of
 * `PreferSameZone`.
 */
export function distributionOf(text: string | undefined): Distribution {
  switch (text) {
    case "PreferClose":
    case "PreferSameZone":
      return "same-zone";
    case "PreferSameNode":
      return "same-node";
    default:
      return "any";
  }
}

/** Identities of servers that annotations of Services name. */
export interface ServerIdentities {
  /** Service accounts, `namespace/account`, in the trust domains of the mesh. */
  readonly accounts: readonly string[];
  /** Identities as they are in certificates. */
  readonly names: readonly string[];
}

/** Facts about a Service of an orchestrator. */
export interface ServiceFacts {
  /** True for a Service without a virtual address: clients choose an endpoint by its address. */
  readonly headless: boolean;
  /** Labels of the workloads; empty: the Service selects none. */
  readonly selector: Readonly<Record<string, string>>;
  readonly distribution: Distribution;
  /** True if only endpoints on the client's node are used (`internalTrafficPolicy: Local`). */
  readonly nodeLocal: boolean;
  /** Addresses outside the cluster: external IPs, and addresses or names of load balancers. */
  readonly externalAddresses: readonly string[];
  /** Port of the Service → port there, if addresses outside are those of nodes. */
  readonly nodePorts?: Readonly<Record<number, number>>;
  /** One for each endpoint of the specification, in the same order. */
  readonly endpoints: readonly EndpointFacts[];
  /** The host of another Service that its clients reach (`ExternalName`); unset: it is no alias. */
  readonly alias?: string;
  /** Further identities of its servers, which annotations name; unset: none. */
  readonly identities?: ServerIdentities;
  /** True if only clients of its own cluster see its endpoints. */
  readonly clusterOnly?: boolean;
  /** Set in ambient mode. */
  readonly ambient?: ServiceFactsOfAmbient;
}
