/**
 * Tables of routes.
 *
 * @module
 */
import {
  type HostKey,
  labelKeys,
  type Labels,
  type LabelsKey,
  type PortKey,
  type SidecarKey,
} from "../../derive/mod.ts";
import {
  type Derived,
  integer,
  type KeyCodec,
  keyOf,
  optional,
  type Read,
  type Resource,
  text,
} from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import type { HostPort, Layered, RouteTable, VirtualHostTable } from "../resources/mod.ts";
import type { Egress, EgressHost, EgressPortKey, EgressTable } from "../egress/mod.ts";

/** A port of a host, as a namespace sees it; `""`: as all namespaces do. */
export interface VirtualHostKey extends HostPort {
  readonly namespace: string;
}

/** The codec of {@link VirtualHostKey}. */
export const virtualHostKeys: KeyCodec<VirtualHostKey> = keyOf<VirtualHostKey>({
  namespace: text,
  port: integer,
  host: text,
});

/** A route table of an egress listener. */
export interface EgressTableKey extends SidecarKey, EgressTable {}

/** The codec of {@link EgressTableKey}. */
export const egressTableKeys: KeyCodec<EgressTableKey> = keyOf<EgressTableKey>({
  namespace: text,
  sidecar: text,
  listener: integer,
  port: integer,
  table: text,
});

/** A virtual host of a route table. */
export interface TableHostKey extends VirtualHostKey {
  /** Name of the route table. */
  readonly table: string;
}

/** The codec of {@link TableHostKey}. */
export const tableHostKeys: KeyCodec<TableHostKey> = keyOf<TableHostKey>({
  namespace: text,
  port: integer,
  table: text,
  host: text,
});

/** Source labels of clients. */
export interface SourceLabels {
  readonly labels: Labels;
}

/** A virtual host for clients with certain labels. */
export interface ClientHostKey extends VirtualHostKey, SourceLabels {}

/** The codec of {@link ClientHostKey}. */
export const clientHostKeys: KeyCodec<ClientHostKey> = keyOf<ClientHostKey>({
  namespace: text,
  port: integer,
  host: text,
  labels: labelKeys,
});

/** The route table of a port for clients with certain labels. */
export interface ClientPortKey extends PortKey, SourceLabels {}

/** The codec of {@link ClientPortKey}. */
export const clientPortKeys: KeyCodec<ClientPortKey> = keyOf<ClientPortKey>({
  namespace: text,
  port: integer,
  labels: labelKeys,
});

/** The clients with certain labels that a Sidecar applies to. */
export interface SidecarClientsKey extends SidecarKey, SourceLabels {}

/** The codec of {@link SidecarClientsKey}. */
export const sidecarClientsKeys: KeyCodec<SidecarClientsKey> = keyOf<SidecarClientsKey>({
  namespace: text,
  sidecar: text,
  labels: labelKeys,
});

/** A route table of an egress listener for clients with certain labels. */
export interface ClientTableKey extends EgressTableKey, SourceLabels {}

/** The codec of {@link ClientTableKey}. */
export const clientTableKeys: KeyCodec<ClientTableKey> = keyOf<ClientTableKey>({
  namespace: text,
  sidecar: text,
  listener: integer,
  port: integer,
  table: text,
  labels: labelKeys,
});

/** A virtual host of a route table for clients with certain labels. */
export interface ClientTableHostKey extends TableHostKey, SourceLabels {}

/** The codec of {@link ClientTableHostKey}. */
export const clientTableHostKeys: KeyCodec<ClientTableHostKey> = keyOf<ClientTableHostKey>({
  namespace: text,
  port: integer,
  table: text,
  host: text,
  labels: labelKeys,
});

/** A class, and the Sidecar that applies to it. */
export interface SidecarClassKey {
  /** Key of the Sidecar, `namespace/name`; `""` for none. */
  readonly sidecar: string;
  /** Key of the class. */
  readonly cls: string;
}

/** The codec of {@link SidecarClassKey}. */
export const sidecarClassKeys: KeyCodec<SidecarClassKey> = keyOf<SidecarClassKey>({
  sidecar: text,
  cls: text,
});

/** The route table of the HTTP proxy port for some clients that a Sidecar applies to. */
export interface HttpProxyKey extends SidecarKey {
  /** Their source labels; `undefined`: no rule distinguishes them by labels. */
  readonly labels: Labels | undefined;
}

/** The codec of {@link HttpProxyKey}. */
export const httpProxyKeys: KeyCodec<HttpProxyKey> = keyOf<HttpProxyKey>({
  namespace: text,
  sidecar: text,
  labels: optional(labelKeys),
});

/** The tables of {@link deriveHttpProxy}. */
export interface HttpProxyTables {
  /** The route table of a class; none where it has no such port. */
  readonly members: Derived<readonly HttpProxyKey[], SidecarClassKey>;
  readonly tables: RouteTable<HttpProxyKey>;
}

export interface RouteTables {
  /** Port → the table that all namespaces share. */
  readonly public: RouteTable<number>;
  /** The namespace's own table, if it differs. */
  readonly overlay: RouteTable<PortKey>;
  readonly egress: RouteTable<EgressTableKey>;
  /** Virtual hosts of a namespace's table, by name: its own over those of all namespaces. */
  hostsOf(read: Read, key: PortKey): Map<string, Resource>;
  /** Virtual hosts of an egress listener's table, by name. */
  egressHostsOf(read: Read, key: EgressPortKey): Map<string, Resource>;
}

/** The tables of route tables and virtual hosts that are served apart. */
export interface OnDemandHosts {
  /** The virtual hosts of a host, one for each of its HTTP ports. */
  readonly hosts: Layered<HostKey>;
  /** The virtual host of a route table of a Sidecar. */
  readonly egressHosts: VirtualHostTable<TableHostKey>;
  /** The skeleton of a port's table. */
  readonly skeletons: Layered<PortKey>;
  /** The skeleton of an egress listener's table. */
  readonly egressSkeletons: RouteTable<EgressTableKey>;
}

/** The route tables of ports whose protocol is detected; each has one host, for every request. */
export interface DetectedTables {
  /** The table of a port of a host; none where its protocol is declared, or its address is shared. */
  readonly tables: Layered<VirtualHostKey>;
  /** Namespace → such ports of hosts that it may see differently. */
  readonly overlayMembers: Derived<readonly HostPort[]>;
  /** Such ports of hosts that a Sidecar imports. */
  readonly egressMembers: Derived<readonly HostPort[], SidecarKey>;
  /** The tables for clients with certain labels. */
  readonly sourceLabels: RouteTable<ClientHostKey>;
}

/** A name that clients ask for. */
export interface AskedKey extends SidecarClientsKey {
  /** `table/authority`. */
  readonly name: string;
}

/** The codec of {@link AskedKey}. */
export const askedKeys: KeyCodec<AskedKey> = keyOf<AskedKey>({
  namespace: text,
  sidecar: text,
  labels: labelKeys,
  name: text,
});

/** The tables of virtual hosts on demand. */
export interface AskedHosts {
  /** The virtual host of a name. */
  readonly hosts: VirtualHostTable<AskedKey>;
  /** Its parent: the virtual host with all its domains, under the name that patches select. */
  readonly parents: VirtualHostTable<AskedKey>;
  /** The part of a parent for the authority of a name; without a parent, the answer to an unknown host. */
  readonly partOf: (read: Read, key: AskedKey, parent: Resource | undefined) => Resource;
  /** The host that a name stands for; empty: the table has none. */
  readonly hostOf: Derived<string, AskedKey>;
  /** A route table without virtual hosts, by its name. */
  readonly bare: RouteTable;
}

/** The tables that layers of routes are made of. */
export interface Routes {
  readonly context: Context;
  readonly egress: Egress;
  readonly virtualHosts: VirtualHostTable<VirtualHostKey>;
  readonly tables: RouteTables;
  readonly onDemand: OnDemandHosts;
  readonly sourceLabels: SourceLabelRoutes;
  readonly asked: AskedHosts;
  readonly detected: DetectedTables;
}

/** The tables of routes for clients with certain labels. */
export interface SourceLabelRoutes {
  readonly hosts: VirtualHostTable<ClientHostKey>;
  /** Virtual hosts that differ. */
  readonly differing: Derived<readonly HostPort[], LabelsKey>;
  /** Ports whose route tables differ. */
  readonly ports: Derived<readonly number[], LabelsKey>;
  readonly tables: RouteTable<ClientPortKey>;
  /** Virtual hosts as parts of the tables of ports. */
  readonly parts: VirtualHostTable<ClientHostKey>;
  /** Virtual hosts of a Sidecar's tables that differ. */
  readonly egressDiffering: Derived<readonly EgressHost[], SidecarClientsKey>;
  /** Tables of a Sidecar that differ. */
  readonly egressMembers: Derived<readonly EgressTable[], SidecarClientsKey>;
  readonly egressTables: RouteTable<ClientTableKey>;
  /** Virtual hosts as parts of the tables of egress listeners. */
  readonly egressParts: VirtualHostTable<ClientTableHostKey>;
}

/** The tables of routes for all clients. */
export interface PlainRoutes {
  readonly virtualHosts: VirtualHostTable<VirtualHostKey>;
  readonly tables: RouteTables;
  readonly egress: Egress;
}
