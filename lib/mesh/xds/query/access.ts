/**
 * Clients that may read all configuration and all debug views.
 *
 * @module
 */
import { addressOf } from "../admission/mod.ts";

/** The rule of access. */
export interface Access {
  /**
   * Reports if a verified identity may read all configuration and all debug views, as peers on this
   * machine may. Default: none may.
   */
  readonly isSystem?: (identity: string) => boolean;
}

/** A client, as the transport and its credentials describe it. */
export interface Client {
  /** `address:port`, or `unix`. */
  readonly peer: string;
  /** Its verified SPIFFE id. */
  readonly identity: string | undefined;
}

/** Reports if a peer is on this machine: at a loopback address, or a Unix socket. */
export function isLocalPeer(peer: string): boolean {
  const address = addressOf(peer);
  return peer === "unix" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** Reports if a client is on this machine, or has an identity that may read everything. */
export function mayReadAll(
  { isSystem }: Access,
  { peer, identity }: Client,
): boolean {
  return isLocalPeer(peer) || (identity !== undefined && isSystem?.(identity) === true);
}
