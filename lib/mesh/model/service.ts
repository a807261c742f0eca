/**
 * Services, their ports and endpoints, as translation sees them.
 *
 * @module
 */
import { type KeyCodec, pathOf, text } from "../graph/mod.ts";
import type { Distribution, ServerIdentities } from "./registry_facts.ts";

/** Protocol of a port. */
export type Protocol =
  | "HTTP"
  | "HTTP2"
  | "GRPC"
  | "GRPC-Web"
  | "HTTP_PROXY"
  | "HTTPS"
  | "TLS"
  | "TCP"
  | "UDP"
  | "Mongo"
  | "MySQL"
  | "Redis"
  /** Not declared: to be sniffed where the listener allows it, else TCP. */
  | "Unsupported";

export interface ServicePort {
  readonly number: number;
  readonly name: string;
  readonly protocol: Protocol;
  /** Port of the workload; equals `number` unless declared. */
  readonly targetPort: number;
}

/** Resolution of a service's endpoints. */
export type Resolution = "NONE" | "STATIC" | "DNS" | "DNS_ROUND_ROBIN" | "DYNAMIC_DNS";

/** Region, zone and subzone; empty strings where unknown. */
export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

/** Namespaces that may see an object: all, or the listed ones (empty: none). */
export type Visibility = "public" | readonly string[];

/** Namespace and host of a service: its key. */
export interface ServiceKey {
  readonly namespace: string;
  readonly host: string;
}

/** The codec of service keys: `namespace/host`. */
export const serviceKeys: KeyCodec<ServiceKey> = pathOf<ServiceKey>({
  namespace: text,
  host: text,
});

/** One host of the mesh. */
export interface Service {
  /** The text of its key, `namespace/host`. */
  readonly key: string;
  readonly host: string;
  readonly namespace: string;
  readonly ports: readonly ServicePort[];
  /** Virtual addresses or CIDR ranges; empty: none. */
  readonly addresses: readonly string[];
  /** Id of the remote cluster that has `addresses`; unset: the daemon's cluster, or none. */
  readonly addressCluster?: string;
  /** Virtual addresses in remote clusters, by cluster id, where they differ from `addresses`. */
  readonly clusterAddresses?: Readonly<Record<string, readonly string[]>>;
  readonly resolution: Resolution;
  /** True without resolution and addresses but with known instances: clients choose one by address. */
  readonly headless?: boolean;
  /** True if a Service of an orchestrator defines it. */
  readonly registry?: boolean;
  /** Preference of endpoints near the client; unset: none. */
  readonly distribution?: Distribution;
  /** The object with that preference, if it is not the service's own, as `kind/namespace/name`. */
  readonly distributionSource?: string;
  /** True if only endpoints on the client's node are used. */
  readonly nodeLocal?: boolean;
  /** Addresses outside the cluster: IP addresses, and names of load balancers. */
  readonly externalAddresses?: readonly string[];
  /** Number of a port → port there, if addresses outside are those of nodes. */
  readonly nodePorts?: Readonly<Record<number, number>>;
  /** The host of another service that its clients reach; it has no endpoints of its own. */
  readonly alias?: string;
  readonly meshExternal: boolean;
  readonly exportTo: Visibility;
  readonly subjectAltNames: readonly string[];
  /** Further identities of its servers: by annotations of Services and by later entries; unset: none. */
  readonly identities?: ServerIdentities;
  readonly labels: Readonly<Record<string, string>>;
  /** See `ObjectMeta.creationTime`. */
  readonly creationTime: number;
  /** The object it was made from, `kind/namespace/name`. Where that stands in its file is not part of a service: it moves. */
  readonly source: string;
}

/** One address that serves a service's ports. */
export interface Endpoint {
  /** IP address, host name (DNS resolutions) or `unix:///path`. */
  readonly address: string;
  /** Port at the endpoint, by the service port's name. */
  readonly ports: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  readonly locality: Locality;
  /** Relative weight; 0 means not given (counts as 1). */
  readonly weight: number;
  readonly serviceAccount: string;
  readonly namespace: string;
  readonly health: "healthy" | "unhealthy" | "draining";
  /** The workload's name, for telemetry. */
  readonly workload: string;
  /** Name below that of a headless service; unset: that of the workload. Empty: none. */
  readonly hostname?: string;
  /** Id of its cluster; unset: the daemon's own. */
  readonly cluster?: string;
  /** Name of the node, if it is known. */
  readonly node?: string;
  /** True for a pod of an orchestrator: only its label says if its proxy terminates mutual TLS. */
  readonly pod?: boolean;
  /** True for a pod whose traffic its node's proxy carries. */
  readonly redirected?: boolean;
  /** True if only clients of its cluster see it. */
  readonly clusterOnly?: boolean;
}

/** Reports if calls of gRPC are carried. */
export function carriesGrpc(protocol: Protocol): boolean {
  return protocol === "GRPC" || protocol === "GRPC-Web";
}

/** Reports if HTTP routing applies to a protocol. */
export function isHttp(protocol: Protocol): boolean {
  return protocol === "HTTP" || protocol === "HTTP2" || protocol === "GRPC" ||
    protocol === "GRPC-Web" || protocol === "HTTP_PROXY";
}

/**
 * Reports if a port carries HTTP, by its declaration or by what is found out about each connection.
 */
export function mayBeHttp(protocol: Protocol): boolean {
  return isHttp(protocol) || protocol === "Unsupported";
}

/** Reports if a port carries, or may carry, what is no HTTP; UDP is not carried at all. */
export function mayBeTcp(protocol: Protocol): boolean {
  return !isHttp(protocol) && protocol !== "UDP";
}

/** Reports if a protocol runs over HTTP/2 to the workload. */
export function isHttp2(protocol: Protocol): boolean {
  return protocol === "HTTP2" || protocol === "GRPC" || protocol === "GRPC-Web";
}

/** Reports if routing is by TLS server name. */
export function isTls(protocol: Protocol): boolean {
  return protocol === "HTTPS" || protocol === "TLS";
}
