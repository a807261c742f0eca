/**
 * Tables about egress listeners of Sidecars.
 *
 * @module
 */
import type { SidecarKey } from "../../derive/mod.ts";
import {
  type Derived,
  flag,
  integer,
  type KeyCodec,
  keyOf,
  oneOf,
  optional,
  text,
} from "../../graph/mod.ts";

/** A Sidecar, for proxies that use auto-allocated addresses or not. */
export interface EgressKey extends SidecarKey {
  /** See `ListenersKey`. */
  readonly autoAddresses: boolean;
}

/** The codec of {@link EgressKey}. */
export const egressKeys: KeyCodec<EgressKey> = keyOf<EgressKey>({
  autoAddresses: flag("autoAddresses"),
  namespace: text,
  sidecar: text,
});

/**
 * Content of a listener: only HTTP, the services that do not declare HTTP, both, raw TCP, or
 * connections to the single addresses of one host.
 */
export type EgressKind = "http" | "tcp" | "mixed" | "raw" | "address";

/** A listener that an egress listener of a Sidecar opens. */
export interface EgressMember {
  /** Position of the egress listener in the Sidecar. */
  readonly listener: number;
  /** Its port; 0 for a Unix socket. */
  readonly port: number;
  readonly kind: EgressKind;
  /** The host of single addresses; `undefined` for the other kinds. */
  readonly host: string | undefined;
}

/** The codec of {@link EgressMember}. */
export const egressMembers: KeyCodec<EgressMember> = keyOf<EgressMember>({
  listener: integer,
  port: integer,
  kind: oneOf<EgressKind>("http", "tcp", "mixed", "raw", "address"),
  host: optional(text),
});

/** A port of an egress listener of a Sidecar. */
export interface EgressPortKey extends SidecarKey {
  readonly listener: number;
  readonly port: number;
}

/** The codec of {@link EgressPortKey}. */
export const egressPorts: KeyCodec<EgressPortKey> = keyOf<EgressPortKey>({
  namespace: text,
  sidecar: text,
  listener: integer,
  port: integer,
});

/** A route table of an egress listener. */
export interface EgressTable {
  readonly listener: number;
  readonly port: number;
  /** Name of the route table. */
  readonly table: string;
}

/** The codec of {@link EgressTable}. */
export const egressTables: KeyCodec<EgressTable> = keyOf<EgressTable>({
  listener: integer,
  port: integer,
  table: text,
});

/** A virtual host of a route table of a Sidecar. */
export interface EgressHost {
  readonly port: number;
  /** Name of the route table. */
  readonly table: string;
  readonly host: string;
}

/** The codec of {@link EgressHost}. */
export const egressHosts: KeyCodec<EgressHost> = keyOf<EgressHost>({
  port: integer,
  table: text,
  host: text,
});

/** The tables about egress listeners. */
export interface Egress {
  /** Listeners that a Sidecar opens. */
  readonly listenerMembers: Derived<readonly EgressMember[], EgressKey>;
  /** Route tables of its HTTP listeners. */
  readonly routeMembers: Derived<readonly EgressTable[], SidecarKey>;
  /** Imported hosts with an HTTP port of a listener's number. */
  readonly httpHosts: Derived<readonly string[], EgressPortKey>;
  /** Virtual hosts of all route tables. */
  readonly virtualHostMembers: Derived<readonly EgressHost[], SidecarKey>;
}
