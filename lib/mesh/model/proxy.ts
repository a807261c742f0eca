/**
 * Proxies: what generation may depend on, without identity.
 *
 * @module
 */
import type { OmittedFeature } from "./proxy_features.ts";
import type { Locality } from "./service.ts";

/** Kind of a proxy. */
export type Role = "sidecar" | "router" | "waypoint";

/** Kind of a client: a proxy that has a class, or the proxy of a node. */
export type ClientRole = Role | "ztunnel";

/** A port of a service that the proxy's workload serves. */
export interface ServiceTarget {
  /** Key of the service, `namespace/host`. */
  readonly service: string;
  /** Service port number. */
  readonly port: number;
  readonly targetPort: number;
}

/**
 * The properties of a proxy that the order of its endpoints depends on. A proxy class on which no
 * order depends has none, and shares its endpoints with others.
 */
export interface ProxyLocality {
  /** Empty parts: unknown. */
  readonly locality: Locality;
  /** Labels that rules of failover compare, the topology's own among them; keys sorted. */
  readonly labels: Readonly<Record<string, string>>;
  /** The network it is in; empty: every endpoint is within reach. */
  readonly network: string;
  /** Networks whose endpoints it requests, sorted; empty: all. */
  readonly view: readonly string[];
  /** Keys of the DestinationRules that select its workload by labels, oldest first. */
  readonly rules: readonly string[];
  /** Id of its cluster; unset if all endpoints are in one cluster. */
  readonly cluster?: string;
  /** Name of the secret with the certificate that its Gateway shows to backends. */
  readonly certificate?: string;
}

/**
 * All that configuration may depend on in a proxy. Replicas of a workload have
 * equal classes and share every byte. Plain data; `key` is its canonical form.
 */
export interface ProxyClass {
  /** Canonical JSON of all other fields: equal keys, equal classes. */
  readonly key: string;
  readonly role: Role;
  readonly namespace: string;
  /** Workload labels, keys sorted. */
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  readonly clusterId: string;
  readonly network: string;
  /** Networks that endpoints are wanted of, sorted; empty: all. */
  readonly networkView: readonly string[];
  readonly revision: string;
  /** DNS suffix of the proxy's namespace, for example `default.svc.cluster.local`. */
  readonly dnsDomain: string;
  /** Redirection of traffic to the proxy; with `NONE` listeners bind to their own ports. */
  readonly interception: "REDIRECT" | "TPROXY" | "NONE";
  /** True if the workload has an address of the family. */
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  /** Node metadata keys that steer generation (`HTTP10`, `IDLE_TIMEOUT`, …), only those that are set, keys sorted. */
  readonly options: Readonly<Record<string, string>>;
  /** Features that generation leaves out, sorted; absent: none, as for every current Envoy. */
  readonly missing?: readonly OmittedFeature[];
  /** Sorted by service and port. */
  readonly targets: readonly ServiceTarget[];
}
