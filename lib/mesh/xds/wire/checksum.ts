/**
 * Checksums over pairs of name and version, to compare thousands of them in any order: clients
 * report versions as a map, which has no order. Every pair is hashed in its encoded form, without
 * creating strings, and the hashes are added. The seed is random for each process; a client that
 * finds a collision would deceive only itself.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import { wireVersion } from "./wire_version.ts";
import { fieldSize, textSize, writeTextField } from "./protobuf.ts";

/** A sum over pairs: how many they are, and two independent sums of 32 bits. */
export interface Checksum {
  count: number;
  low: number;
  high: number;
}

/** Fields of a map entry of strings. */
const ENTRY = { name: 1, version: 2 };

const SEEDS: Uint32Array = crypto.getRandomValues(new Uint32Array(2));

/** A checksum of nothing. */
export function newChecksum(): Checksum {
  return { count: 0, low: 0, high: 0 };
}

/** Reports if two checksums are equal. */
export function sameChecksum(a: Checksum, b: Checksum): boolean {
  return a.count === b.count && a.low === b.low && a.high === b.high;
}

/** Adds the encoded pair between two offsets. */
export function addPair(checksum: Checksum, bytes: Uint8Array, start: number, end: number): void {
  let low = SEEDS[0]! ^ (end - start);
  let high = SEEDS[1]! ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
    low = Math.imul(low ^ word, 0x85ebca6b);
    low ^= low >>> 15;
    high = Math.imul(high + word | 0, 0xc2b2ae35);
    high ^= high >>> 13;
  }
  for (; at < end; at++) {
    low = Math.imul(low ^ bytes[at]!, 0x85ebca6b);
    low ^= low >>> 15;
    high = Math.imul(high + bytes[at]! | 0, 0xc2b2ae35);
    high ^= high >>> 13;
  }
  checksum.count++;
  checksum.low = checksum.low + finished(low) | 0;
  checksum.high = checksum.high + finished(high) | 0;
}

/** Mixes every bit into all others, so that sums of different sets differ. */
function finished(hash: number): number {
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return hash ^ hash >>> 16;
}

/** Buffer for the encoded pair of a resource. */
const scratch = new Uint8Array(1024);

/** Checksum of each resource, computed once. */
const ofResource = new WeakMap<Resource, Checksum>();

/** Adds the pair of a resource, as clients write it. */
export function addResource(checksum: Checksum, resource: Resource): void {
  let own = ofResource.get(resource);
  if (!own) {
    const version = wireVersion(resource);
    const size = fieldSize(textSize(resource.name)) + fieldSize(textSize(version));
    const target = size <= scratch.byteLength ? scratch : new Uint8Array(size);
    const at = writeTextField(target, 0, ENTRY.name, resource.name);
    addPair(own = newChecksum(), target, 0, writeTextField(target, at, ENTRY.version, version));
    ofResource.set(resource, own);
  }
  checksum.count++;
  checksum.low = checksum.low + own.low | 0;
  checksum.high = checksum.high + own.high | 0;
}
