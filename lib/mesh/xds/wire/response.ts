/**
 * Responses of both variants, assembled from encoded resources. A resource's bytes are at the end
 * of its entry, so an entry is a short header, made once for each resource, and the shared bytes.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import type { XdsType } from "../../model/mod.ts";
import { entries, headerWriter } from "./entry_header.ts";
import { BATCH_LEAST, type BatchCache, batchCache } from "./batch_cache.ts";
import { concat, delimited, delimitedAll } from "./protobuf.ts";

/** Field numbers of the messages in addition to the resources, see `discovery.proto`. */
const TYPE_URL = 4;
const NONCE = 5;
const VERSION = 1;
const DELTA = { removed: 6, controlPlane: 7 };
const SOTW_CONTROL_PLANE = 6;
const CONTROL_PLANE_IDENTIFIER = 1;
const ANY_TYPE_URL = 1;

/** A response about to be sent. */
export interface Response {
  readonly resources: readonly Resource[];
  /** Delta only. */
  readonly removed: readonly string[];
  readonly nonce: string;
  /** Version of the response: its revision. */
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
 * Creates an encoder. `url` is the type of the response, and of its resources unless `resourceUrl`
 * is set. `identifier` is the control plane's identifier; batches that several clients
 * are sent are cached.
 */
export function responseEncoder(
  { url: typeUrl, resourceUrl = typeUrl }: Pick<XdsType, "url" | "resourceUrl">,
  variant: "sotw" | "delta",
  identifier: string,
  store: BatchCache = batchCache(),
): ResponseEncoder {
  const writer = headerWriter(variant, delimited(ANY_TYPE_URL, resourceUrl));
  const heads = new WeakMap<Resource, Uint8Array>();
  const headOf = (resource: Resource): Uint8Array => {
    let head = heads.get(resource);
    if (!head) {
      heads.set(resource, head = new Uint8Array(writer.size(resource)));
      writer.write(head, 0, resource);
    }
    return head;
  };
  const joined = store.join((resources) => entries(writer, resources));
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
      if (resources.length >= BATCH_LEAST) parts.push(joined(resources));
      else for (const resource of resources) parts.push(headOf(resource), resource.bytes);
      if (removed.length > 0) parts.push(delimitedAll(DELTA.removed, removed));
      return parts;
    },
    size: (resource) => resource.bytes.byteLength + 2 * resource.name.length + 100,
  };
}
