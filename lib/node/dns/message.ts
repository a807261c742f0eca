/**
 * DNS messages (RFC 1035, RFC 6891) as far as a proxy needs them: it reads questions and writes
 * addresses. Everything else is relayed as bytes. Pure.
 *
 * No name outside of the question is ever decoded, so compression pointers are never followed.
 *
 * @module
 */
import { joinedBytes } from "../../kit/base/mod.ts";
import {
  addressBytes,
  CLASS_IN,
  encodeName,
  MAX_UDP_BYTES,
  optRecord,
  record,
  RECORD_HEADER_BYTES,
  TYPE,
  viewOf,
} from "./record.ts";

/** Response codes. */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
} as const;
const HEADER_BYTES = 12;
/** RFC 1035, section 2.3.4. */
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
/** RFC 1035, section 2.3.4: without EDNS. */
const MIN_UDP_BYTES = 512;
/** Largest message over TCP. */
export const MAX_MESSAGE_BYTES = 65_535;
/** Records in a query after the question: OPT, TSIG and cookies need few. */
const MAX_EXTRA_RECORDS = 8;

const FLAG = {
  RESPONSE: 0x8000,
  AUTHORITATIVE: 0x0400,
  TRUNCATED: 0x0200,
  RECURSION_DESIRED: 0x0100,
  RECURSION_AVAILABLE: 0x0080,
};

/** A query with one question. */
export interface Query {
  readonly id: number;
  readonly recursionDesired: boolean;
  /** Lower case, without the final dot. Labels with other letters than host names have make it `undefined`. */
  readonly name: string | undefined;
  readonly type: number;
  /** True for class IN. */
  readonly internet: boolean;
  /** Bytes of the question section. */
  readonly question: Uint8Array;
  /** Largest answer over UDP that the client takes. */
  readonly udpBytes: number;
  /** The query has an OPT record, so the answer has one. */
  readonly edns: boolean;
}

/** Reason why a message is not a query that can be answered. */
export type Refusal =
  /** No answer: too short, or a response. Answering a response could make two servers talk forever. */
  | { readonly kind: "drop" }
  /** An answer with this code. */
  | { readonly kind: "refuse"; readonly reply: Uint8Array };

export function readQuery(bytes: Uint8Array): Query | Refusal {
  if (bytes.length < HEADER_BYTES) return { kind: "drop" };
  const view = viewOf(bytes);
  const flags = view.getUint16(2);
  if ((flags & FLAG.RESPONSE) !== 0) return { kind: "drop" };
  const refuse = (rcode: number): Refusal => ({ kind: "refuse", reply: headerReply(bytes, rcode) });
  if (((flags >> 11) & 0xf) !== 0) return refuse(RCODE.NOTIMP);
  if (view.getUint16(4) !== 1) return refuse(RCODE.FORMERR);
  const name = readName(bytes, HEADER_BYTES);
  if (name === undefined || name.end + 4 > bytes.length) return refuse(RCODE.FORMERR);
  const end = name.end + 4;
  const extra = readExtra(bytes, end);
  if (extra === undefined) return refuse(RCODE.FORMERR);
  return {
    id: view.getUint16(0),
    recursionDesired: (flags & FLAG.RECURSION_DESIRED) !== 0,
    name: name.text,
    type: view.getUint16(name.end),
    internet: view.getUint16(name.end + 2) === CLASS_IN,
    question: bytes.slice(HEADER_BYTES, end),
    ...extra,
  };
}

/** Reads a name without compression; in a question there is nothing before it to point to. */
function readName(
  bytes: Uint8Array,
  start: number,
): { readonly text: string | undefined; readonly end: number } | undefined {
  const labels: string[] = [];
  let plain = true;
  let at = start;
  while (true) {
    const length = bytes[at];
    if (length === undefined || length > MAX_LABEL_BYTES) return undefined;
    at++;
    if (length === 0) break;
    if (at + length > bytes.length || at + length - start > MAX_NAME_BYTES) return undefined;
    const label = String.fromCharCode(...bytes.subarray(at, at + length));
    plain &&= /^[A-Za-z0-9_*-]+$/.test(label);
    labels.push(label);
    at += length;
  }
  return { text: plain ? labels.join(".").toLowerCase() : undefined, end: at };
}

/** Looks for OPT in the records after the question. */
function readExtra(
  bytes: Uint8Array,
  start: number,
): Pick<Query, "udpBytes" | "edns"> | undefined {
  const view = viewOf(bytes);
  const count = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
  if (count > MAX_EXTRA_RECORDS) return undefined;
  let [udpBytes, edns] = [MIN_UDP_BYTES, false];
  let at = start;
  for (let i = 0; i < count; i++) {
    const name = skipName(bytes, at);
    if (name === undefined || name + 10 > bytes.length) return undefined;
    if (view.getUint16(name) === TYPE.OPT) {
      edns = true;
      udpBytes = Math.min(MAX_UDP_BYTES, Math.max(MIN_UDP_BYTES, view.getUint16(name + 2)));
    }
    at = name + 10 + view.getUint16(name + 8);
    if (at > bytes.length) return undefined;
  }
  return { udpBytes, edns };
}

/** Position after a name; a pointer ends it. */
function skipName(bytes: Uint8Array, start: number): number | undefined {
  let at = start;
  while (at < bytes.length && at - start <= MAX_NAME_BYTES) {
    const length = bytes[at]!;
    if (length === 0) return at + 1;
    if ((length & 0xc0) === 0xc0) return at + 2;
    if (length > MAX_LABEL_BYTES) return undefined;
    at += 1 + length;
  }
  return undefined;
}

/** An answer with nothing but a header. */
function headerReply(query: Uint8Array, rcode: number): Uint8Array {
  const reply = new Uint8Array(HEADER_BYTES);
  const flags = (query[2] ?? 0) << 8;
  reply.set(query.subarray(0, 2));
  viewOf(reply).setUint16(2, FLAG.RESPONSE | (flags & 0x7900) | FLAG.RECURSION_AVAILABLE | rcode);
  return reply;
}

/** Content of an answer. */
export interface Answer {
  readonly rcode: number;
  /** The host that the question's name stands for, without the final dot; absent: no CNAME record. */
  readonly alias?: string;
  /** Addresses in the order of the records, all of the question's family. */
  readonly addresses: readonly string[];
  /** Seconds. */
  readonly ttl: number;
}

/**
 * Writes an answer. Records that do not fit into `limit` are left out, and the client is told to ask
 * over TCP.
 */
export function writeAnswer(query: Query, answer: Answer, limit: number): Uint8Array {
  const opt = query.edns ? optRecord() : new Uint8Array();
  const records: Uint8Array[] = [];
  let size = HEADER_BYTES + query.question.length + opt.length;
  // The owner of the records: the question's name, or the name in the CNAME record after its header.
  let owner = HEADER_BYTES;
  if (answer.alias !== undefined) {
    owner = HEADER_BYTES + query.question.length + RECORD_HEADER_BYTES;
    const target = encodeName(answer.alias);
    records.push(record({ owner: HEADER_BYTES, type: TYPE.CNAME, ttl: answer.ttl, data: target }));
    size += RECORD_HEADER_BYTES + target.length;
  }
  let truncated = false;
  for (const address of answer.addresses) {
    const data = addressBytes(address);
    truncated = size + RECORD_HEADER_BYTES + data.length > limit;
    if (truncated) break;
    records.push(record({ owner, type: query.type, ttl: answer.ttl, data }));
    size += RECORD_HEADER_BYTES + data.length;
  }
  const header = new Uint8Array(HEADER_BYTES);
  const view = viewOf(header);
  view.setUint16(0, query.id);
  view.setUint16(
    2,
    FLAG.RESPONSE | FLAG.RECURSION_AVAILABLE | answer.rcode |
      (answer.rcode === RCODE.NOERROR ? FLAG.AUTHORITATIVE : 0) |
      (truncated ? FLAG.TRUNCATED : 0) |
      (query.recursionDesired ? FLAG.RECURSION_DESIRED : 0),
  );
  view.setUint16(4, 1);
  view.setUint16(6, records.length);
  view.setUint16(10, query.edns ? 1 : 0);
  return joinedBytes([header, query.question, ...records, opt]);
}

/** A query with another id. */
export function withId(message: Uint8Array, id: number): Uint8Array {
  const copy = message.slice();
  viewOf(copy).setUint16(0, id);
  return copy;
}

/** Reports if a message is the response to a query: its id and its question, letters in any case. */
export function isResponseTo(message: Uint8Array, id: number, question: Uint8Array): boolean {
  if (message.length < HEADER_BYTES + question.length) return false;
  const view = viewOf(message);
  if (view.getUint16(0) !== id || (view.getUint16(2) & FLAG.RESPONSE) === 0) return false;
  if (view.getUint16(4) !== 1) return false;
  return question.every((byte, i) => lower(byte) === lower(message[HEADER_BYTES + i] ?? 0));
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** The response code. */
export function rcodeOf(message: Uint8Array): number {
  return viewOf(message).getUint16(2) & 0xf;
}

/** Reports if a message was cut for UDP. */
export function isTruncated(message: Uint8Array): boolean {
  return (viewOf(message).getUint16(2) & FLAG.TRUNCATED) !== 0;
}

/** A response without records that tells the client to ask over TCP. */
export function truncatedReply(query: Query): Uint8Array {
  const bytes = writeAnswer(query, { rcode: RCODE.NOERROR, addresses: [], ttl: 0 }, MAX_UDP_BYTES);
  const view = viewOf(bytes);
  view.setUint16(2, (view.getUint16(2) & ~FLAG.AUTHORITATIVE) | FLAG.TRUNCATED);
  return bytes;
}
