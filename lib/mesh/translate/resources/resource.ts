/**
 * Encoded resources and the differences between layers.
 *
 * @module
 */
import { hash, type Parts } from "../../../kit/base/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import {
  type DescMessage,
  type MessageShape,
  toBinary,
  toBinaryInParts,
} from "../../../kit/proto/mod.ts";

/** A resource of these bytes; its version is the hash of them. */
export function resourceOf(name: string, bytes: Uint8Array): Resource {
  return { name, version: hash(bytes), bytes };
}

export function encodeResource<D extends DescMessage>(
  name: string,
  schema: D,
  message: MessageShape<D>,
): Resource {
  return resourceOf(name, toBinary(schema, message));
}

/** {@link encodeResource} with long lists in parts; the bytes are the same. */
export function encodeInParts<D extends DescMessage>(
  parts: Parts,
  name: string,
  schema: D,
  message: MessageShape<D>,
): Resource {
  return resourceOf(name, toBinaryInParts(parts, schema, message));
}

const NOTHING = new Uint8Array(0);

/** Hides the resource of that name in the layers below. */
export function tombstone(name: string): Resource {
  return { name, version: "", bytes: NOTHING, tombstone: true };
}

/**
 * Returns the overlay that, laid over `base`, shows `mine`: new or different resources, and a
 * tombstone for each missing one.
 */
export function differences(
  mine: readonly Resource[],
  base: readonly Resource[],
): readonly Resource[] {
  if (mine === base) return NONE;
  const before = new Map(base.map((r) => [r.name, r.version]));
  const overlay: Resource[] = [];
  for (const r of mine) {
    if (before.get(r.name) !== r.version) overlay.push(r);
    before.delete(r.name);
  }
  for (const name of before.keys()) overlay.push(tombstone(name));
  return overlay.length === 0 ? NONE : overlay;
}

/** Two lists of resources are equal when names and versions are, in order. */
export function sameResources(a: readonly Resource[], b: readonly Resource[]): boolean {
  return a === b ||
    (a.length === b.length &&
      a.every((r, i) => r.name === b[i]!.name && r.version === b[i]!.version));
}

const NONE: readonly Resource[] = Object.freeze([]);
