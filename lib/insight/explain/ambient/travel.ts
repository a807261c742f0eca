/**
 * A connection on its way through node proxies and tunnels.
 *
 * @module
 */
import type { Workload } from "#mesh/workload/workload_pb.ts";
import type { Call } from "../../simulate/mod.ts";
import type { Hop, Outcome } from "../../verdict/mod.ts";
import type { PartiesByAddress, Party, World } from "../world.ts";
import type { Knowledge, Known } from "./known.ts";

/** The parts of an explanation that the way through node proxies changes. */
export interface Travel {
  readonly world: World;
  readonly knowledge: Knowledge;
  /** The mesh as the network where the connection is knows it. Undefined: ambient mode is off. */
  readonly known: Known | undefined;
  readonly hops: Hop[];
  readonly objects: Set<string>;
  readonly assumptions: Set<string>;
  /** Addresses of endpoints whose proxies are connected elsewhere. */
  readonly elsewhere: Set<string>;
  readonly byAddress: PartiesByAddress;
  /** Passes a call through a proxy, and on to what follows. */
  enter(party: Party, call: Call): Outcome[];
}

/** The way goes on in a network; empty: that of the daemon's cluster. */
export function inNetwork<T extends Pick<Travel, "knowledge">>(
  travel: T,
  network: string,
): T & Pick<Travel, "known"> {
  return { ...travel, known: travel.knowledge.in(network) };
}

/** The content of a connection, with what is known about its time and keys. */
export type Content = Omit<Call, "direction" | "source" | "destination" | "tunnel">;

/** The client of a connection, as the other end sees it. */
export interface Client {
  readonly ip: string;
  /** Unset: nothing proves it. */
  readonly principal?: string;
  /** True: the principal stands for one that is not known. */
  readonly principalAssumed?: boolean;
}

/** A connection to an address. */
export interface Arrival {
  /** The proxy or workload that sends. */
  readonly sender: string;
  readonly client: Client;
  readonly to: { readonly ip: string; readonly port: number };
  readonly content: Content;
  /** True: it comes through a tunnel. */
  readonly tunnelled: boolean;
}

/** Name of the node proxy of a workload in hops. */
export function nodeProxyOf({ name, namespace }: Pick<Workload, "name" | "namespace">): string {
  return `node proxy of ${name}.${namespace}`;
}

/** The content of a connection, as outcomes name it. */
export function kindOf({ content }: Pick<Arrival, "content">): "HTTP" | "TCP" {
  return content.http === undefined || content.tls !== undefined ? "TCP" : "HTTP";
}

/** `ip:port`, with brackets around an IPv6 address. */
export function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
