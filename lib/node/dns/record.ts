/**
 * Records of DNS messages (RFC 1035, section 3.2), as the proxy writes them. Pure.
 *
 * @module
 */
import { joinedBytes } from "../../kit/base/mod.ts";

/** Types of records, as numbers of the wire. */
export const TYPE = { A: 1, CNAME: 5, AAAA: 28, OPT: 41 } as const;
/** The class of the internet. */
export const CLASS_IN = 1;
/** Size that is offered and used at most over UDP: no fragments on common links (DNS flag day 2020). */
export const MAX_UDP_BYTES = 1232;

/** A view of the numbers in a message. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Name as pointer, type, class, time to live, length of the data. */
export const RECORD_HEADER_BYTES = 12;

/** A record in class IN whose name is a pointer to `owner`, an offset in the message. */
export function record(
  { owner, type, ttl, data }: { owner: number; type: number; ttl: number; data: Uint8Array },
): Uint8Array {
  const bytes = new Uint8Array(RECORD_HEADER_BYTES + data.length);
  const view = viewOf(bytes);
  view.setUint16(0, 0xc000 | owner);
  view.setUint16(2, type);
  view.setUint16(4, CLASS_IN);
  view.setUint32(6, ttl);
  view.setUint16(10, data.length);
  bytes.set(data, RECORD_HEADER_BYTES);
  return bytes;
}

/** The OPT record of an answer (RFC 6891, section 6.1.2). */
export function optRecord(): Uint8Array {
  const bytes = new Uint8Array(11);
  viewOf(bytes).setUint16(1, TYPE.OPT);
  viewOf(bytes).setUint16(3, MAX_UDP_BYTES);
  return bytes;
}

/** A name as labels. */
export function encodeName(name: string): Uint8Array {
  const labels = name.split(".").filter((label) => label !== "");
  const text = new TextEncoder();
  return joinedBytes([
    ...labels.flatMap((label) => {
      const bytes = text.encode(label);
      return [Uint8Array.of(bytes.length), bytes];
    }),
    Uint8Array.of(0),
  ]);
}

/** The bytes of an IPv4 or IPv6 address, without an embedded IPv4 part. */
export function addressBytes(address: string): Uint8Array {
  if (!address.includes(":")) return Uint8Array.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const [front, back] = [groups(head), groups(tail)];
  const middle = tail === undefined ? 0 : 8 - front.length - back.length;
  const all = [...front, ...Array<string>(Math.max(0, middle)).fill("0"), ...back];
  return Uint8Array.from(all.flatMap((group) => {
    const value = parseInt(group, 16);
    return [value >> 8, value & 0xff];
  }));
}
