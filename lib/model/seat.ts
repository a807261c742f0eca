/**
 * The border between translation and serving: a connected proxy takes a seat
 * and sees one view per resource type. Serving knows no configuration kinds.
 *
 * @module
 */
import type { Collection, View } from "../graph/mod.ts";
import type { Locality } from "./service.ts";
import type { Role } from "./proxy.ts";

/** A connected proxy as it names itself: the xDS node, parsed. */
export interface ProxyNode {
  /** The whole node id, `type~ip~name.namespace~dnsDomain`. */
  readonly id: string;
  readonly role: Role;
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
  /** Version of the proxy's build, for example `1.39.3`; empty when not told. */
  readonly buildVersion: string;
  /** What the proxy's program calls itself, for example `envoy`; empty when not told. */
  readonly userAgent: string;
  /**
   * Whether it connects from this machine. Private keys are handed to no other:
   * nothing else vouches for who a proxy says it is.
   */
  readonly local?: boolean;
  /** Which variant of the protocol its stream speaks. */
  readonly transport: "sotw" | "delta";
}

/** A proxy's place: which views it sees, until it is closed. */
export interface Seat {
  /** Key of the proxy's class; changes only when `onMove` was called. */
  readonly classKey: string;
  /**
   * What the proxy sees of a resource type now. `undefined`: the type is not
   * served to it. After `onMove` the view of a type may be another object: the
   * session then compares with `View.diffFrom`.
   */
  view(typeUrl: string): View | undefined;
  /**
   * Tells which resources of a type are sent only to who asks for them by name, even
   * to who asks for all of them; `undefined`: none.
   */
  onDemand?(typeUrl: string): ((name: string) => boolean) | undefined;
  /** Gives the class back; its views may be evicted when nobody holds them. */
  close(): void;
}

/** What serving needs of the rest of the daemon. */
export interface SeatSource {
  /** Finds the class of a proxy. `onMove` is called, during a publication, when its views became others. Throws `MeshError` for a node that cannot be served. */
  seat(node: ProxyNode, onMove: () => void): Seat;
  /**
   * Works ahead on what seats that were taken will show, so long at most as told; whether nothing
   * is left. Without it the first look at a view does all that work in one piece.
   */
  ahead?(millis: number): boolean;
  /** Calls back after each publication with the collections that changed and its revision; returns the way to stop it. */
  onPublish(listener: (changed: ReadonlySet<Collection>, revision: number) => void): () => void;
  /** Revision of the last publication. */
  readonly revision: number;
}
