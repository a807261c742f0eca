/**
 * The name under which the answers of a client count.
 *
 * @module
 */
import type { Stream } from "./types.ts";

/** The SPIFFE id of a stream's client, or its address and node id if it proved none. */
export function clientName({ node, call }: Pick<Stream, "node" | "call">): string {
  return node.identity ?? `${call.peer.replace(/:\d+$/, "")} ${node.id}`;
}
