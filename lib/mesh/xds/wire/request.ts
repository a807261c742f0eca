/**
 * Requests of both variants, decoded into one shape.
 *
 * @module
 */
import { RpcError } from "../../../kit/rpc/mod.ts";
import type { Lists, NameListCache } from "./name_list_cache.ts";
import { type HeldVersions, heldVersions, type HeldVersionsReader } from "./held_versions.ts";
import { namesMemory } from "./name_memory.ts";
import { FieldReader, textOf } from "./protobuf.ts";

/** Bounds on what a request may hold. */
export interface RequestLimits {
  /** Bytes of the encoded node. */
  readonly maxNode: number;
  /** Characters of one resource name. */
  readonly maxName: number;
  /** Resource names in all lists of one request together. */
  readonly maxNames: number;
  /** Called before a list of names is decoded that was not decoded before. Throws `RpcError` to refuse it. */
  readonly checkNames?: (list: EncodedNames) => void;
}

/** A list of names in a request that is not decoded yet. */
export interface EncodedNames {
  readonly typeUrl: string;
  /** Memory that the names need at most, bytes. */
  readonly bytes: number;
  /** Decodes up to about {@link SAMPLE} of the names, evenly distributed. */
  sample(): string[];
}

/** Names that {@link EncodedNames.sample} decodes. */
const SAMPLE = 256;

/** A request, whatever its variant. */
export interface XdsRequest {
  readonly typeUrl: string;
  /** The encoded node; `undefined` when the request has none. */
  readonly node: Uint8Array | undefined;
  readonly nonce: string;
  /** Why the client rejects the response with this nonce. */
  readonly error: { readonly code: number; readonly message: string } | undefined;
  /** SotW: all subscribed names. Delta: names to add. */
  readonly names: readonly string[];
  /** Delta: names to give up. */
  readonly unsubscribe: readonly string[];
  /** Delta: the resources that the client already has; `undefined` if it reported none. */
  readonly versions: HeldVersions | undefined;
}

/** Field numbers by variant; see `discovery.proto`. */
const DELTA = { node: 1, typeUrl: 2, names: 3, unsubscribe: 4, versions: 5, nonce: 6, error: 7 };
const SOTW = { node: 2, typeUrl: 4, names: 3, unsubscribe: -1, versions: -1, nonce: 5, error: 6 };

/** Maximum length of a client's stored error message, characters. */
const MAX_ERROR = 4096;
const MAX_TYPE_URL = 256;

/** Numbers of fields, by what they hold. */
type Fields = typeof DELTA;

/**
 * Decodes a request. Lists of equal requests come from `lists`, if it is given. Throws `MeshError`
 * `wire-malformed` for invalid bytes and `RpcError` RESOURCE_EXHAUSTED above the limits.
 */
export function decodeRequest(
  bytes: Uint8Array,
  variant: "sotw" | "delta",
  limits: RequestLimits,
  lists?: NameListCache,
): XdsRequest {
  const at = variant === "delta" ? DELTA : SOTW;
  let typeUrl = "";
  let nonce = "";
  let node: Uint8Array | undefined;
  let error: XdsRequest["error"];
  let versions: HeldVersionsReader | undefined;
  /** Range of the lists of names, including the bytes between them. */
  let from = -1;
  let to = 0;
  let count = 0;
  const check = (length: number): void => {
    if (length > limits.maxName) {
      throw new RpcError(
        "RESOURCE_EXHAUSTED",
        `a resource name is longer than ${limits.maxName} bytes`,
      );
    }
    if (++count > limits.maxNames) throw tooManyNames(limits.maxNames);
  };
  for (const field = new FieldReader(bytes); field.next();) {
    const { number, start, end } = field;
    if (number === at.versions) {
      (versions ??= heldVersions(bytes, at.versions, check)).add(field.from, start, end);
    } else if (number === at.names || number === at.unsubscribe) {
      check(end - start);
      if (from < 0) from = field.from;
      to = end;
    } else if (number === at.typeUrl) {
      typeUrl = textOf(bytes, start, Math.min(end, start + MAX_TYPE_URL));
    } else if (number === at.nonce) {
      nonce = textOf(bytes, start, Math.min(end, start + limits.maxName));
    } else if (number === at.error) error = readStatus(bytes, start, end);
    else if (number === at.node) node = nodeBytes(bytes, start, end, limits.maxNode);
  }
  const read = () => {
    if (from < 0) return NO_LISTS;
    const list = bytes.subarray(from, to);
    limits.checkNames?.({
      typeUrl,
      bytes: namesMemory(to - from, count),
      sample: () => sampleOf(list, at, count),
    });
    return readLists(list, at);
  };
  const known = from < 0 || !lists ? read() : lists.read(bytes.subarray(from, to), read);
  return { typeUrl, node, nonce, error, versions, ...known };
}

const NO_LISTS: Lists = { names: [], unsubscribe: [] };

function readLists(bytes: Uint8Array, at: Fields): Lists {
  const names: string[] = [];
  const unsubscribe: string[] = [];
  for (const field = new FieldReader(bytes); field.next();) {
    const { number, start, end } = field;
    if (number === at.names) names.push(textOf(bytes, start, end));
    else if (number === at.unsubscribe) unsubscribe.push(textOf(bytes, start, end));
  }
  return { names, unsubscribe };
}

/** Every n-th name of a list with `count` names. The first one is chosen at random, so a client cannot know them. */
function sampleOf(bytes: Uint8Array, at: Fields, count: number): string[] {
  const step = Math.ceil(count / SAMPLE);
  let next = Math.floor(Math.random() * step);
  const names: string[] = [];
  for (const field = new FieldReader(bytes); field.next();) {
    if (field.number === at.names && next-- === 0) {
      names.push(textOf(bytes, field.start, field.end));
      next = step - 1;
    }
  }
  return names;
}

/** Returns the error for a client with too many names. */
export function tooManyNames(limit: number): RpcError {
  return new RpcError("RESOURCE_EXHAUSTED", `more than ${limit} resource names are asked for`);
}

function nodeBytes(bytes: Uint8Array, start: number, end: number, limit: number): Uint8Array {
  if (end - start > limit) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `the node takes ${end - start} bytes, more than the limit of ${limit}`,
    );
  }
  return bytes.subarray(start, end);
}

function readStatus(
  bytes: Uint8Array,
  from: number,
  to: number,
): { code: number; message: string } {
  let code = 0;
  let message = "";
  for (const field = new FieldReader(bytes, from, to); field.next();) {
    const { number, value, start, end } = field;
    if (number === 1) code = value;
    else if (number === 2) message = textOf(bytes, start, Math.min(end, start + MAX_ERROR));
  }
  return { code, message };
}
