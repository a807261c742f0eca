/**
 * Listeners that differ in nothing but their address.
 *
 * @module
 */
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { encode, toBinary } from "../../../kit/proto/mod.ts";
import { pipeOrSocket } from "../core/mod.ts";
import { listenerName } from "./assemble.ts";

export interface EncodedListener {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Encodes a listener at each of some addresses. All that they share is encoded once: an encoded
 * message is a sequence of fields, and name and address are its first.
 */
export function listenersAt(
  listener: Listener,
  addresses: readonly string[],
  port: number,
): EncodedListener[] {
  const rest = toBinary(ListenerSchema, { ...listener, name: "", address: undefined });
  return addresses.map((address) => {
    const name = listenerName(address, port);
    const head = encode(ListenerSchema, { name, address: pipeOrSocket(address, port) });
    const bytes = new Uint8Array(head.length + rest.length);
    bytes.set(head);
    bytes.set(rest, head.length);
    return { name, bytes };
  });
}
