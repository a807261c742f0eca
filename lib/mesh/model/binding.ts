/**
 * The interface between translation and serving. A connected proxy is bound to its class and has one
 * view for each resource type. Serving knows no configuration kinds.
 *
 * @module
 */
import type { Collection, Resource, View } from "../graph/mod.ts";
import type { Locality } from "./service.ts";
import type { ClientRole } from "./proxy.ts";
import type { ProxyFeature } from "./proxy_features.ts";

/** The xDS node of a connected proxy, parsed. */
export interface ProxyNode {
  /** The whole node id, `type~ip~name.namespace~dnsDomain`. */
  readonly id: string;
  readonly role: ClientRole;
  /** First address of the proxy; IPv4 or IPv6 without brackets. */
  readonly ip: string;
  /** All addresses (`INSTANCE_IPS`), `ip` first. */
  readonly ips: readonly string[];
  readonly name: string;
  readonly namespace: string;
  readonly dnsDomain: string;
  /** `node.cluster`. */
  readonly cluster: string;
  readonly locality: Locality;
  /** `node.metadata` as plain JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Version of the proxy's build, for example `1.39.3`; empty when unknown. */
  readonly buildVersion: string;
  /** User agent of the proxy, for example `envoy`; empty: unknown. */
  readonly userAgent: string;
  /**
   * True if credentials of its namespace, with their private keys, may be sent to the proxy: its
   * identity was verified and may read them, or the daemon serves them to all of this machine.
   */
  readonly readsCredentials?: boolean;
  /**
   * True if the proxy is of the namespace that it claims: it may be sent what Gateways of that namespace
   * refer to, by the rules of the Gateway API. Absent: as `readsCredentials`.
   */
  readonly readsReferred?: boolean;
  /** Id of the remote cluster whose credentials it reads; absent: those of the daemon's cluster. */
  readonly credentialCluster?: string;
  /**
   * Set for clients that are no proxies (metadata `GENERATOR`): `api` for those that are served
   * configuration objects, `event` for those that only ask debug queries.
   */
  readonly generator?: "api" | "event";
  /** The SPIFFE id that the proxy proved to have; `undefined` when it was not authenticated. */
  readonly identity?: string;
  /** Features that its Envoy lacks; absent: none. */
  readonly missing?: readonly ProxyFeature[];
  /** True: it has configuration on demand. */
  readonly onDemand?: boolean;
  /** The xDS variant of its stream. */
  readonly transport: "sotw" | "delta";
}

/** Proxies that share what they asked for on demand. */
export interface Sharers {
  /** Their workload class. */
  readonly workload: string;
  /** Their identity, `namespace/serviceAccount`, by which they are authenticated. */
  readonly owner: string;
}

/** Resources of a type that are sent on demand. */
export interface OnDemand {
  /** Reports if a wildcard subscription, or one to parents, leaves out a name. */
  withheld(name: string): boolean;
  /** The proxies that share what they asked for; `undefined`: nothing is remembered. */
  readonly sharers?: Sharers | undefined;
  /**
   * Set where a resource is made when it is asked for: then a name without one is not answered yet.
   * Returns the answer for a name that may not be asked for.
   */
  readonly refusal?: (name: string) => Resource;
}

/** The binding of a connected proxy to its class, until it is closed. */
export interface ProxyBinding {
  /** Key of the proxy's class. Changes only when `onRebind` was called. */
  readonly classKey: string;
  /**
   * The proxy's view of a resource type. `undefined`: the type is not served to it. After `onRebind`
   * the view of a type may be another object: compare the two with `View.diffFrom`.
   */
  view(typeUrl: string): View | undefined;
  /**
   * The resources of a type that are sent to clients that name them. `undefined`: there are none. It is
   * read when a client subscribes to the type.
   */
  onDemand?(typeUrl: string): OnDemand | undefined;
  /**
   * Names of types with further names whose resources, and parts, the client is sent unasked unless it
   * subscribes to everything. Absent: there are none.
   */
  readonly unasked?: readonly string[];
  /** Releases the class. Its views may be evicted when no proxy is bound to it. */
  close(): void;
}

/** The part of the daemon that serving depends on. */
export interface BindingSource {
  /**
   * Binds a proxy to its class. `onRebind` is called, during a publication, when the views of the
   * proxy are different ones. Throws `MeshError` for a node that cannot be served.
   */
  bind(node: ProxyNode, onRebind: () => void): ProxyBinding;
  /**
   * Computes resources of bound proxies before they are read, for at most `millis` milliseconds.
   * Returns whether nothing is left to compute. Without it the first read of a view computes all of
   * it at once.
   */
  prepare?(millis: number): boolean;
  /**
   * Calls back after each publication with the collections that changed and the revision. Returns
   * the function that ends it.
   */
  onPublish(listener: (changed: ReadonlySet<Collection>, revision: number) => void): () => void;
  /** Revision of the last publication. */
  readonly revision: number;
}
