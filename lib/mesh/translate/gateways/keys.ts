/**
 * Tables of gateways.
 *
 * @module
 */
import { type HostKey, type LabelsKey, labelsKeys } from "../../derive/mod.ts";
import { type Derived, type KeyCodec, keyOf, text } from "../../graph/mod.ts";
import { type ListenerVariant, listenerVariants } from "../context/mod.ts";
import type {
  ClusterTable,
  EndpointTable,
  ListenerTable,
  RouteTable,
  VirtualHostTable,
} from "../resources/mod.ts";

/** A host, as gateways of a locality see it. */
export interface AutomaticHostKey extends HostKey {
  /** See {@link automaticLocality}; `""`: endpoints do not depend on it. */
  readonly locality: string;
}

export const automaticHostKeys: KeyCodec<AutomaticHostKey> = keyOf<AutomaticHostKey>({
  namespace: text,
  host: text,
  locality: text,
});

/** The tables of such servers; `C` is the key of outbound clusters. */
export interface AutomaticTables<C> {
  /** Hosts to which the gateway's servers forward connections. */
  readonly hosts: Derived<readonly string[], GatewayKey>;
  /** Clusters of a host, named by TLS server names. */
  readonly clusters: ClusterTable<C>;
  /** Their endpoints: those of the gateway's own network. */
  readonly endpoints: EndpointTable<AutomaticHostKey>;
}

export interface GatewayTables {
  /** Keys of ports, see `gatewayPortKey`. */
  readonly portKeys: Derived<readonly string[], LabelsKey>;
  readonly tableKeys: Derived<readonly GatewayTable[], LabelsKey>;
  readonly listeners: ListenerTable<GatewayListenerKey>;
  readonly routes: RouteTable<GatewayTableKey>;
  /** The same without virtual hosts, for proxies that receive them as resources. */
  readonly skeletons: RouteTable<GatewayTableKey>;
  /** The virtual hosts of the skeletons. */
  readonly parts: VirtualHostTable<GatewayHostKey>;
  readonly partKeys: Derived<readonly GatewayPart[], GatewayKey>;
}

/** A route table: of an HTTP port, whose servers share one, or of a server that terminates TLS. */
export interface GatewayTable {
  /** See `gatewayPortKey`. */
  readonly port: string;
  /** See `gatewayServerKey`; `""`: the servers of an HTTP port. */
  readonly server: string;
}

/** The codec of {@link GatewayTable}. */
export const gatewayTables: KeyCodec<GatewayTable> = keyOf<GatewayTable>({
  port: text,
  server: text,
});

/** The Gateways of a proxy in a namespace. */
export interface GatewayKey {
  readonly namespace: string;
  readonly scope: LabelsKey;
}

/** The codec of {@link GatewayKey}. */
export const gatewayKeys: KeyCodec<GatewayKey> = keyOf<GatewayKey>({
  namespace: text,
  scope: labelsKeys,
});

/** The listener of a port. */
export interface GatewayListenerKey extends GatewayKey {
  readonly variant: ListenerVariant;
  /** See `gatewayPortKey`. */
  readonly port: string;
}

/** The codec of {@link GatewayListenerKey}. */
export const gatewayListenerKeys: KeyCodec<GatewayListenerKey> = keyOf<GatewayListenerKey>({
  variant: listenerVariants,
  namespace: text,
  port: text,
  scope: labelsKeys,
});

/** A route table of a proxy. */
export interface GatewayTableKey extends GatewayKey {
  readonly table: GatewayTable;
}

/** The codec of {@link GatewayTableKey}. */
export const gatewayTableKeys: KeyCodec<GatewayTableKey> = keyOf<GatewayTableKey>({
  namespace: text,
  table: gatewayTables,
  scope: labelsKeys,
});

/** A virtual host of a route table. */
export interface GatewayHostKey {
  readonly host: string;
  readonly of: GatewayTableKey;
}

/** The codec of {@link GatewayHostKey}. */
export const gatewayHostKeys: KeyCodec<GatewayHostKey> = keyOf<GatewayHostKey>({
  host: text,
  of: gatewayTableKeys,
});

/** A virtual host among those of all route tables of a proxy. */
export interface GatewayPart {
  readonly host: string;
  readonly table: GatewayTable;
}

/** The codec of {@link GatewayPart}. */
export const gatewayParts: KeyCodec<GatewayPart> = keyOf<GatewayPart>({
  host: text,
  table: gatewayTables,
});

/** The Gateways of proxies in a locality. */
export interface GatewayLocalityKey extends GatewayKey {
  /** See `Localities.ofClass`. */
  readonly locality: string;
}

/** The codec of {@link GatewayLocalityKey}. */
export const gatewayLocalityKeys: KeyCodec<GatewayLocalityKey> = keyOf<GatewayLocalityKey>({
  namespace: text,
  scope: labelsKeys,
  locality: text,
});

/** The tables of such services. */
export interface GatewayClusterTables {
  /**
   * Hosts that the VirtualServices of the Gateways name, and those of the mesh's extension providers
   * and of key sets, because proxies connect to them.
   */
  readonly hosts: Derived<readonly string[], GatewayKey>;
  /** The hosts among them whose clusters differ in a locality. */
  readonly localHosts: Derived<readonly string[], GatewayLocalityKey>;
}

/** A port of UDP of the Gateways of a proxy in a network. */
export interface DatagramKey extends GatewayKey {
  /** See `gatewayPortKey`. */
  readonly port: string;
  readonly network: string;
}

/** The codec of {@link DatagramKey}. */
export const datagramKeys: KeyCodec<DatagramKey> = keyOf<DatagramKey>({
  namespace: text,
  scope: labelsKeys,
  port: text,
  network: text,
});

/** The tables of ports of UDP. */
export interface DatagramTables {
  /** Keys of the ports, see `gatewayPortKey`. */
  readonly ports: Derived<readonly string[], GatewayKey>;
  readonly clusters: ClusterTable<DatagramKey>;
}
