/**
 * The header of a resource in a response: everything before the bytes of its message. It is written
 * directly into the buffer, because there are tens of thousands for each proxy class.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import { wireVersion } from "./wire_version.ts";
import { fieldSize, textSize, writeOpening, writeTextField } from "./protobuf.ts";

/** Fields of the messages, see `discovery.proto`; number 2 holds the resources in both variants. */
const RESOURCES = 2;
const ENTRY = { version: 1, resource: 2, name: 3, aliases: 4 };
const ANY_VALUE = 2;

/** Writes the heads of resources of one type in one variant. */
export interface HeaderWriter {
  /** Bytes of a head. */
  size(resource: Resource): number;
  /** Writes a head; returns the offset behind it. */
  write(target: Uint8Array, at: number, resource: Resource): number;
}

/**
 * Heads of entries: a `Resource` in delta, an `Any` in SotW.
 *
 * @param typeField the type URL as the field of an `Any`
 */
export function headerWriter(variant: "sotw" | "delta", typeField: Uint8Array): HeaderWriter {
  const anySize = ({ bytes }: Resource): number =>
    typeField.byteLength + fieldSize(bytes.byteLength);
  const entrySize = (resource: Resource): number =>
    fieldSize(textSize(resource.name)) + fieldSize(textSize(wireVersion(resource))) +
    fieldSize(anySize(resource)) +
    (resource.aliases ?? []).reduce((size, alias) => size + fieldSize(textSize(alias)), 0);
  const writeAny = (target: Uint8Array, at: number, { bytes }: Resource): number => {
    target.set(typeField, at);
    return writeOpening(target, at + typeField.byteLength, ANY_VALUE, bytes.byteLength);
  };
  const contentSize = variant === "delta" ? entrySize : anySize;
  return {
    size: (resource) => fieldSize(contentSize(resource)) - resource.bytes.byteLength,
    write(target, start, resource) {
      let at = writeOpening(target, start, RESOURCES, contentSize(resource));
      if (variant === "delta") {
        at = writeTextField(target, at, ENTRY.name, resource.name);
        at = writeTextField(target, at, ENTRY.version, wireVersion(resource));
        for (const alias of resource.aliases ?? []) {
          at = writeTextField(target, at, ENTRY.aliases, alias);
        }
        at = writeOpening(target, at, ENTRY.resource, anySize(resource));
      }
      return writeAny(target, at, resource);
    },
  };
}

/** The entries of resources, one after the other. */
export function entries(heads: HeaderWriter, resources: readonly Resource[]): Uint8Array {
  let size = 0;
  for (const resource of resources) size += heads.size(resource) + resource.bytes.byteLength;
  const out = new Uint8Array(size);
  let at = 0;
  for (const resource of resources) {
    at = heads.write(out, at, resource);
    out.set(resource.bytes, at);
    at += resource.bytes.byteLength;
  }
  return out;
}
