/**
 * Responses of both variants, put together from resources that are encoded already. A resource's
 * bytes come last in the entry that wraps them, so an entry is a short head, made once for each
 * resource, and the bytes that everyone shares.
 *
 * @module
 */
import type { Resource } from "../graph/mod.ts";
import { RUN_LEAST, type RunStore, runStore } from "./runs.ts";
import { wireVersion } from "./version.ts";
import { concat, delimited, tagOf, varintSize, writeVarint } from "./wire.ts";

/** Fields of the messages, see `discovery.proto`; number 2 holds the resources in both. */
const RESOURCES = 2;
const TYPE_URL = 4;
const NONCE = 5;
const VERSION = 1;
const DELTA = { removed: 6, controlPlane: 7 };
const SOTW_CONTROL_PLANE = 6;
const CONTROL_PLANE_IDENTIFIER = 1;
const ANY = { typeUrl: 1, value: 2 };
const ENTRY = { version: 1, resource: 2, name: 3 };

/** A response about to be sent. */
export interface Response {
  readonly resources: readonly Resource[];
  /** Delta only. */
  readonly removed: readonly string[];
  readonly nonce: string;
  /** What the whole is called: the revision it was taken at. */
  readonly version: string;
}

/** Writes the responses of one type in one variant. */
export interface ResponseEncoder {
  /** The response in pieces. */
  encode(response: Response): Uint8Array[];
  /** Bytes a resource takes in a response, about: enough to cut slices by. */
  size(resource: Resource): number;
}

/**
 * An encoder. `identifier` is the control plane's name for itself; runs of resources that others are
 * sent, too, are kept in the store.
 */
export function responseEncoder(
  typeUrl: string,
  variant: "sotw" | "delta",
  identifier: string,
  store: RunStore = runStore(),
): ResponseEncoder {
  const heads = new WeakMap<Resource, Uint8Array>();
  const makeHead = variant === "delta" ? deltaHead : sotwHead;
  const headOf = (resource: Resource): Uint8Array => {
    let head = heads.get(resource);
    if (!head) heads.set(resource, head = makeHead(typeField, resource));
    return head;
  };
  const joined = store.join((resources) =>
    concat(...resources.flatMap((resource) => [makeHead(typeField, resource), resource.bytes]))
  );
  const typeField = delimited(ANY.typeUrl, typeUrl);
  const constant = concat(
    delimited(TYPE_URL, typeUrl),
    delimited(
      variant === "delta" ? DELTA.controlPlane : SOTW_CONTROL_PLANE,
      delimited(CONTROL_PLANE_IDENTIFIER, identifier),
    ),
  );
  return {
    encode({ resources, removed, nonce, version }) {
      const parts = [constant, delimited(NONCE, nonce), delimited(VERSION, version)];
      if (resources.length >= RUN_LEAST) parts.push(joined(resources));
      else for (const resource of resources) parts.push(headOf(resource), resource.bytes);
      for (const name of removed) parts.push(delimited(DELTA.removed, name));
      return parts;
    },
    size: (resource) => resource.bytes.byteLength + 2 * resource.name.length + 100,
  };
}

/** Head of a `Resource` in a delta response: everything before the bytes of the message inside. */
function deltaHead(typeField: Uint8Array, resource: Resource): Uint8Array {
  const name = delimited(ENTRY.name, resource.name);
  const version = delimited(ENTRY.version, wireVersion(resource));
  const size = resource.bytes.byteLength;
  const any = typeField.byteLength + 1 + varintSize(size) + size;
  const entry = name.byteLength + version.byteLength + 1 + varintSize(any) + any;
  return concat(
    opening(RESOURCES, entry),
    name,
    version,
    opening(ENTRY.resource, any),
    typeField,
    opening(ANY.value, size),
  );
}

/** Head of an `Any` in a SotW response. */
function sotwHead(typeField: Uint8Array, resource: Resource): Uint8Array {
  const size = resource.bytes.byteLength;
  const any = typeField.byteLength + 1 + varintSize(size) + size;
  return concat(opening(RESOURCES, any), typeField, opening(ANY.value, size));
}

/** Tag and length of a field whose content follows. */
function opening(number: number, size: number): Uint8Array {
  const out = new Uint8Array(1 + varintSize(size));
  out[0] = tagOf(number);
  writeVarint(out, 1, size);
  return out;
}
