/**
 * The resource types of the protocol: what serving has to know about each.
 *
 * @module
 */

import { MeshError } from "../base/mod.ts";
import type { Resource } from "../graph/mod.ts";
import { fields } from "./wire.ts";

const API = "type.googleapis.com/envoy.config.";

/** A resource type as serving treats it. */
export interface ResourceType {
  readonly url: string;
  /** For metrics and status: `cds`, `eds`, …; `other` for types not in the table. */
  readonly short: string;
  /** An empty first request asks for everything there is. */
  readonly wildcard: boolean;
  /** In SotW a response holds everything asked for, and what it leaves out is gone. */
  readonly fullState: boolean;
  /** Place in the order of additions; removals go the other way. */
  readonly order: number;
  /**
   * The type that a changed resource of this one waits for. Envoy warms a changed cluster until
   * the endpoints of its name arrive, and a changed listener until its routes do.
   */
  readonly dependent?: string;
  /** Resources of this type name clusters: they wait until new ones are warm. */
  readonly refers: boolean;
  /** The type whose resources these are parts of; see `parts.ts`. */
  readonly partOf?: string;
  /**
   * What changed goes out in one response, removals with it, however large: in between the client
   * would see two resources that exclude each other, or half of what it waits for.
   */
  readonly atomic?: boolean;
}

/** Clusters. */
export const CLUSTER_TYPE: string = API + "cluster.v3.Cluster";
/** Endpoints of a cluster. */
export const ENDPOINT_TYPE: string = API + "endpoint.v3.ClusterLoadAssignment";
/** Listeners. */
export const LISTENER_TYPE: string = API + "listener.v3.Listener";
/** Route tables. */
export const ROUTE_TYPE: string = API + "route.v3.RouteConfiguration";
/** Virtual hosts that are not in their route tables. */
export const VIRTUAL_HOST_TYPE: string = API + "route.v3.VirtualHost";

/** Certificates, keys and authorities by name. */
export const SECRET_TYPE: string =
  "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

/** Names that agents answer DNS queries from. */
export const NAME_TABLE_TYPE: string = "type.googleapis.com/mesh.networking.nds.v1.NameTable";
/** What agents are told of the mesh: authorities to trust. */
export const PROXY_CONFIG_TYPE: string = "type.googleapis.com/mesh.mesh.v1alpha1.ProxyConfig";

/** No resources: a request of it says how the workload beside the client is. */
export const HEALTH_TYPE: string = "type.googleapis.com/mesh.v1.HealthInformation";

/** Configurations of extensions, which filters name. */
export const EXTENSION_TYPE: string =
  "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig";

const TABLE: readonly ResourceType[] = [
  {
    url: CLUSTER_TYPE,
    short: "cds",
    wildcard: true,
    fullState: true,
    order: 0,
    dependent: ENDPOINT_TYPE,
    refers: false,
  },
  { url: ENDPOINT_TYPE, short: "eds", wildcard: false, fullState: false, order: 1, refers: false },
  {
    url: LISTENER_TYPE,
    short: "lds",
    wildcard: true,
    fullState: true,
    order: 2,
    dependent: ROUTE_TYPE,
    refers: true,
  },
  { url: ROUTE_TYPE, short: "rds", wildcard: false, fullState: false, order: 3, refers: true },
  {
    url: VIRTUAL_HOST_TYPE,
    short: "vhds",
    wildcard: false,
    fullState: false,
    order: 4,
    refers: true,
    partOf: ROUTE_TYPE,
    atomic: true,
  },
  // Clusters and listeners that name a secret wait for it by themselves.
  { url: SECRET_TYPE, short: "sds", wildcard: false, fullState: false, order: 5, refers: false },
  // Agents ask for all there is, and take what a response leaves out for gone.
  { url: NAME_TABLE_TYPE, short: "nds", wildcard: true, fullState: true, order: 6, refers: false },
  {
    url: PROXY_CONFIG_TYPE,
    short: "pcds",
    wildcard: true,
    fullState: true,
    order: 7,
    refers: false,
  },
  // A listener that names one waits for it by itself.
  {
    url: EXTENSION_TYPE,
    short: "ecds",
    wildcard: false,
    fullState: false,
    order: 8,
    refers: false,
  },
];

const BY_URL: ReadonlyMap<string, ResourceType> = new Map(TABLE.map((type) => [type.url, type]));

/** The type of a URL; unknown ones come last in the order and are served by name only. */
export function resourceType(url: string): ResourceType {
  return BY_URL.get(url) ??
    {
      url,
      short: "other",
      wildcard: false,
      fullState: false,
      order: TABLE.length,
      refers: false,
    };
}

const WHOLES: ReadonlySet<string | undefined> = new Set(TABLE.map((type) => type.partOf));

/** Whether there are resources that are parts of those of a type. */
export function isWhole({ url }: ResourceType): boolean {
  return WHOLES.has(url);
}

/** What separates the name of a whole from the rest of a part's; the last one counts, for tables may be named by paths. */
export const PART_SEPARATOR = "/";

/** The whole a name belongs to; `undefined` for a name that belongs to none. */
export function wholeOf(name: string): string | undefined {
  const at = name.lastIndexOf(PART_SEPARATOR);
  return at < 0 ? undefined : name.slice(0, at);
}

/** Field `type` of `envoy.config.cluster.v3.Cluster`, and its value for endpoints by discovery. */
const DISCOVERY = { field: 2, eds: 3 };

/** Whether a client that is sent a cluster asks for its endpoints. What is no cluster does not count as one. */
export function asksForEndpoints({ bytes }: Resource): boolean {
  try {
    for (const { number, value } of fields(bytes)) {
      if (number === DISCOVERY.field) return value === DISCOVERY.eds;
    }
  } catch (e) {
    if (!(e instanceof MeshError)) throw e;
  }
  return false;
}
