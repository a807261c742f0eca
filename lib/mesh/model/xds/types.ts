/**
 * The resource types of xDS that are served: the only table of them.
 *
 * @module
 */

export type XdsTypeName =
  | "cluster"
  | "endpoint"
  | "listener"
  | "route"
  | "virtualHost"
  | "secret"
  | "extension"
  | "nameTable"
  | "proxyConfig"
  | "address"
  | "workload"
  | "authorization";

/** A resource type. */
export interface XdsType {
  /** Name in code and on debug pages; the URL for types that are not in the table. */
  readonly name: string;
  /** Type URL, for example `type.googleapis.com/envoy.config.cluster.v3.Cluster`. */
  readonly url: string;
  /** Short name for metrics, logs and status: `cds`, `eds`, …; `other` for types not in the table. */
  readonly short: string;
  /** Clients that the type is served to. Agents ask on the stream of their proxy. */
  readonly servedTo: "proxies" | "agents" | "configuration clients" | "nobody";
  /** Type URL of the resources in a response, if it is another one than `url`. */
  readonly resourceUrl?: string;
  /** A first request without names subscribes to all resources. */
  readonly wildcard: boolean;
  /** In SotW a response has all subscribed resources, and a resource that it leaves out is removed. */
  readonly fullState: boolean;
  /**
   * The type that a changed resource of this one waits for. Envoy warms a changed cluster until the
   * endpoints of its name arrive, and a changed listener until its routes do.
   */
  readonly dependent?: XdsTypeName;
  /** Resources refer to clusters, so they are sent after new clusters are warm. */
  readonly refersToClusters: boolean;
  /** Resources have further names (`Resource.aliases`), by which clients may subscribe. */
  readonly aliased?: boolean;
  /** The type whose resources are the parents of these: virtual hosts are parts of route tables. */
  readonly parent?: XdsTypeName;
  /**
   * Changes are sent in one response, removals included, whatever its size. Between two responses the
   * client would have resources that exclude each other, or a part of the ones it waits for.
   */
  readonly atomic?: boolean;
}

const CONFIG = "type.googleapis.com/envoy.config.";

export const XDS_TYPES: Readonly<Record<XdsTypeName, XdsType>> = {
  cluster: {
    name: "cluster",
    url: CONFIG + "cluster.v3.Cluster",
    short: "cds",
    servedTo: "proxies",
    wildcard: true,
    fullState: true,
    dependent: "endpoint",
    refersToClusters: false,
  },
  endpoint: {
    name: "endpoint",
    url: CONFIG + "endpoint.v3.ClusterLoadAssignment",
    short: "eds",
    servedTo: "proxies",
    wildcard: false,
    fullState: false,
    refersToClusters: false,
  },
  listener: {
    name: "listener",
    url: CONFIG + "listener.v3.Listener",
    short: "lds",
    servedTo: "proxies",
    wildcard: true,
    fullState: true,
    dependent: "route",
    refersToClusters: true,
  },
  route: {
    name: "route",
    url: CONFIG + "route.v3.RouteConfiguration",
    short: "rds",
    servedTo: "proxies",
    wildcard: false,
    fullState: false,
    refersToClusters: true,
  },
  // Served only to proxies whose route tables do not contain their virtual hosts.
  virtualHost: {
    name: "virtualHost",
    url: CONFIG + "route.v3.VirtualHost",
    short: "vhds",
    servedTo: "proxies",
    wildcard: false,
    fullState: false,
    refersToClusters: true,
    parent: "route",
    atomic: true,
  },
  // Envoy itself makes clusters and listeners wait for the secrets that they name.
  secret: {
    name: "secret",
    url: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
    short: "sds",
    servedTo: "proxies",
    wildcard: false,
    fullState: false,
    refersToClusters: false,
  },
  // Envoy itself makes listeners wait for the filter configurations that they name.
  extension: {
    name: "extension",
    url: CONFIG + "core.v3.TypedExtensionConfig",
    short: "ecds",
    servedTo: "proxies",
    wildcard: false,
    fullState: false,
    refersToClusters: false,
  },
  // The names that agents answer DNS queries from.
  nameTable: {
    name: "nameTable",
    url: "type.googleapis.com/mesh.networking.nds.v1.NameTable",
    short: "nds",
    servedTo: "agents",
    wildcard: true,
    fullState: true,
    refersToClusters: false,
  },
  // Workloads and services, for node proxies and waypoints.
  address: {
    name: "address",
    url: "type.googleapis.com/mesh.workload.Address",
    short: "wds",
    aliased: true,
    servedTo: "proxies",
    wildcard: true,
    fullState: false,
    refersToClusters: false,
  },
  workload: {
    name: "workload",
    url: "type.googleapis.com/mesh.workload.Workload",
    short: "wds",
    aliased: true,
    servedTo: "proxies",
    wildcard: true,
    fullState: false,
    refersToClusters: false,
  },
  authorization: {
    name: "authorization",
    url: "type.googleapis.com/mesh.security.Authorization",
    short: "wads",
    servedTo: "proxies",
    wildcard: true,
    fullState: false,
    refersToClusters: false,
  },
  // Settings of the mesh for agents, such as the certificate authorities to trust.
  proxyConfig: {
    name: "proxyConfig",
    url: "type.googleapis.com/mesh.mesh.v1alpha1.ProxyConfig",
    short: "pcds",
    servedTo: "agents",
    wildcard: true,
    fullState: true,
    refersToClusters: false,
  },
};

/** The type URL of a request that has no resources: it reports the health of the client's workload. */
export const HEALTH_TYPE_URL: string = "type.googleapis.com/mesh.v1.HealthInformation";

const BY_URL: ReadonlyMap<string, XdsType> = new Map(
  Object.values(XDS_TYPES).map((type) => [type.url, type]),
);

/** Type URL of a configuration object on the wire, as the Mesh Configuration Protocol has it. */
export const CONFIG_RESOURCE_URL: string = "type.googleapis.com/mesh.mcp.v1alpha1.Resource";

/** `group/version/Kind`; the group of the orchestrator's core API is `core`. */
const OBJECT_URL = /^([a-z0-9][a-z0-9.-]*)\/(v[0-9][a-z0-9]*)\/([A-Z][A-Za-z0-9]*)$/;

/** A kind of configuration objects in one version, as a type URL names it. */
export interface ObjectType {
  /** Empty for the orchestrator's core API. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind that a type URL such as `networking.mesh.io/v1/Gateway` names; `undefined` for other URLs. */
export function objectType(url: string): ObjectType | undefined {
  const [, group, version, kind] = OBJECT_URL.exec(url) ?? [];
  if (group === undefined || version === undefined || kind === undefined) return undefined;
  return { group: group === "core" ? "" : group, version, kind };
}

export function objectUrl({ group, version, kind }: ObjectType): string {
  return `${group || "core"}/${version}/${kind}`;
}

/** The type of a URL. A type that is not in the table has no short name and no wildcard. */
export function xdsType(url: string): XdsType {
  return BY_URL.get(url) ?? (objectType(url) ? configurationType(url) : {
    name: url,
    url,
    short: "other",
    servedTo: "nobody",
    wildcard: false,
    fullState: false,
    refersToClusters: false,
  });
}

function configurationType(url: string): XdsType {
  return {
    name: url,
    url,
    resourceUrl: CONFIG_RESOURCE_URL,
    short: "config",
    servedTo: "configuration clients",
    wildcard: true,
    fullState: true,
    refersToClusters: false,
  };
}
