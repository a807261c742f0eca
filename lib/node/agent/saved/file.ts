/**
 * The file of a saved configuration: a line of JSON, then the resources, one message after the other,
 * each behind its length (4 bytes, most significant first).
 *
 * @module
 */
import { createHash } from "node:crypto";
import { MeshError } from "../../../kit/base/mod.ts";
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import {
  DeltaDiscoveryResponseSchema,
  ResourceSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { Configuration, SavedResource } from "./recording.ts";
import { isSaved, type Variant } from "./types.ts";

/** A configuration with the proxy that it was accepted by. */
export interface SavedFile {
  /** Id of the proxy's node. */
  readonly node: string;
  /** Variant of the streams that it was sent on. */
  readonly variant: Variant;
  /** Time of the write, ISO 8601. */
  readonly savedAt: string;
  readonly configuration: Configuration;
}

/** The line of JSON. */
interface Head {
  readonly format: number;
  readonly node: string;
  readonly variant: Variant;
  readonly savedAt: string;
  /** SHA-256 sum of the rest, hexadecimal. */
  readonly sha256: string;
}

/** Largest file, bytes. */
export const MAX_FILE_BYTES: number = 64 * 1024 * 1024;
const FORMAT = 2;
const NEWLINE = 10;
const LENGTH_BYTES = 4;
const MAX_HEAD_BYTES = 4096;

/** The content of the file. */
export function encodeFile(
  { node, variant, savedAt, configuration }: SavedFile,
): Uint8Array<ArrayBuffer> {
  const messages = [...configuration].map(([typeUrl, resources]) =>
    encode(DeltaDiscoveryResponseSchema, {
      typeUrl,
      resources: [...resources.values()].flatMap(({ bytes }) =>
        bytes === undefined ? [] : [fromBinary(ResourceSchema, bytes)]
      ),
    })
  );
  const body = joined(messages.flatMap((message) => {
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, message.length);
    return [length, message];
  }));
  const head: Head = { format: FORMAT, node, variant, savedAt, sha256: sumOf(body) };
  return joined([new TextEncoder().encode(`${JSON.stringify(head)}\n`), body]);
}

/**
 * Reads the content of a file.
 *
 * @throws MeshError `saved-config` for anything that {@link encodeFile} did not write
 */
export function decodeFile(content: Uint8Array): SavedFile {
  const end = content.subarray(0, MAX_HEAD_BYTES).indexOf(NEWLINE);
  const head = headOf(content.subarray(0, Math.max(end, 0)));
  const body = content.subarray(end + 1);
  if (sumOf(body) !== head.sha256) throw fault("its checksum is wrong");
  try {
    const { node, variant, savedAt } = head;
    return { node, variant, savedAt, configuration: configurationOf(body) };
  } catch (cause) {
    throw fault("its content is not valid", cause);
  }
}

function configurationOf(body: Uint8Array): Configuration {
  const configuration = new Map<string, Map<string, SavedResource>>();
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  for (let at = 0; at < body.length;) {
    const length = view.getUint32(at);
    at += LENGTH_BYTES;
    if (at + length > body.length) throw new Error("a message is cut off");
    const message = fromBinary(DeltaDiscoveryResponseSchema, body.subarray(at, at + length));
    at += length;
    if (!isSaved(message.typeUrl)) continue;
    configuration.set(
      message.typeUrl,
      new Map(message.resources.map((resource) => {
        const { name, version } = resource;
        return [name, { version, bytes: encode(ResourceSchema, resource) }];
      })),
    );
  }
  return configuration;
}

function headOf(bytes: Uint8Array): Head {
  let head: Record<string, unknown>;
  try {
    head = Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw fault("it does not begin with a line of JSON", cause);
  }
  const { format, node, variant, savedAt, sha256 } = head;
  if (format !== FORMAT) throw fault("its format is of another version");
  if (typeof node !== "string" || typeof savedAt !== "string" || typeof sha256 !== "string") {
    throw fault("its first line is incomplete");
  }
  if (variant !== "delta" && variant !== "sotw") throw fault("its first line names no xDS variant");
  return { format: FORMAT, node, variant, savedAt, sha256 };
}

function sumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function fault(why: string, cause?: unknown): MeshError {
  return new MeshError("saved-config", `the saved configuration cannot be used: ${why}`, {
    remedy: "Remove the file; it is written again when the daemon has served the proxy.",
    cause,
  });
}
