/**
 * The part of the xDS wire format that a measuring client needs, for counting. Field numbers are
 * those of `envoy.service.discovery.v3`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { TYPE_URLS } from "../../../lib/mesh/model/mod.ts";

/** The used part of a response. */
export interface Response {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  /** Names and versions of the resources (delta). */
  readonly resources: readonly (readonly [name: string, version: string])[];
  /** Number of resources, in both variants. */
  readonly count: number;
  readonly removed: readonly string[];
  /** True if it has a route skeleton (delta). */
  readonly apart: boolean;
}

const text = new TextDecoder();

/** Iterates over the fields of a message: number, and the bytes of length-delimited ones. */
function* fields(b: Uint8Array): Generator<[number, Uint8Array]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1;; shift *= 128) {
      const byte = b[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < b.length) {
    const tag = varint();
    const kind = tag & 7;
    if (kind === 2) {
      const length = varint();
      yield [tag >> 3, b.subarray(at, at + length)];
      at += length;
    } else if (kind === 0) varint();
    else at += kind === 1 ? 8 : 4;
  }
}

/** The resources of a delta response. */
type Content = Pick<Response, "resources" | "apart">;

/** Parsed contents by length of their bytes: many clients receive the same. */
const known = new Map<number, { readonly bytes: Uint8Array; readonly content: Content }[]>();
/** Number of cached contents of one length. */
const MOST_ALIKE = 16;
/** Shorter contents are parsed faster than they are found in the cache. */
const LEAST = 4096;

/** Parses a DeltaDiscoveryResponse. */
export function readDelta(bytes: Uint8Array): Response {
  const removed: string[] = [];
  let [typeUrl, nonce] = ["", ""];
  // Resources are adjacent; the names of removed ones follow them.
  let [from, to] = [0, 0];
  for (const [field, value] of fields(bytes)) {
    const end = value.byteOffset - bytes.byteOffset + value.length;
    if (field === 2) [from, to] = [from || to, end];
    else if (field === 4) typeUrl = text.decode(value);
    else if (field === 5) nonce = text.decode(value);
    else if (field === 6) removed.push(text.decode(value));
    if (from === 0) to = end;
  }
  const { resources, apart } = from === 0 ? NO_CONTENT : contentOf(bytes.subarray(from, to));
  return { typeUrl, nonce, version: "", resources, count: resources.length, removed, apart };
}

const NO_CONTENT: Content = { resources: [], apart: false };

function contentOf(bytes: Uint8Array): Content {
  if (bytes.length < LEAST) return readContent(bytes);
  let alike = known.get(bytes.length);
  if (!alike) known.set(bytes.length, alike = []);
  const found = alike.find((one) => Buffer.compare(one.bytes, bytes) === 0);
  if (found) return found.content;
  const content = readContent(bytes);
  // A copy: the bytes belong to the caller.
  if (alike.length < MOST_ALIKE) alike.push({ bytes: bytes.slice(), content });
  return content;
}

function readContent(bytes: Uint8Array): Content {
  const resources: [string, string][] = [];
  let apart = false;
  for (const [field, value] of fields(bytes)) {
    if (field !== 2) continue;
    let [name, version] = ["", ""];
    for (const [f, v] of fields(value)) {
      if (f === 3) name = text.decode(v);
      else if (f === 1) version = text.decode(v);
      else if (f === 2) apart ||= hasVirtualHostsApart(v);
    }
    resources.push([name, version]);
  }
  return { resources, apart };
}

/** Field `vhds` of `RouteConfiguration`. */
const VHDS = 9;
const ROUTE_TYPE = TYPE_URLS.route;

/** Reports if an `Any` is a route skeleton. */
function hasVirtualHostsApart(any: Uint8Array): boolean {
  let typeUrl = "";
  for (const [field, value] of fields(any)) {
    if (field === 1) typeUrl = text.decode(value);
    if (field !== 2 || typeUrl !== ROUTE_TYPE) continue;
    for (const [inner] of fields(value)) if (inner === VHDS) return true;
  }
  return false;
}

/**
 * Parses a DiscoveryResponse. Names only for clusters and listeners, whose first field they are.
 */
export function readSotw(bytes: Uint8Array): Response {
  const resources: [string, string][] = [];
  let [typeUrl, nonce, version, count] = ["", "", "", 0];
  for (const [field, value] of fields(bytes)) {
    if (field === 2) {
      count++;
      for (const [f, v] of fields(value)) {
        if (f !== 2) continue;
        for (const [inner, name] of fields(v)) {
          if (inner !== 1) continue;
          resources.push([text.decode(name), ""]);
          break;
        }
      }
    } else if (field === 4) typeUrl = text.decode(value);
    else if (field === 5) nonce = text.decode(value);
    else if (field === 1) version = text.decode(value);
  }
  return { typeUrl, nonce, version, resources, count, removed: [], apart: false };
}
