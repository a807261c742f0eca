/**
 * Sums over pairs of name and version, to compare thousands of them at once whatever their order:
 * clients write what they hold as a map, which has none. Every pair is hashed as it lies in the
 * message, without making strings, and the hashes are added up. Seeded by chance for each process;
 * who found two sets of the same sum would deceive nobody but himself.
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

/** Whether two checksums are of the same pairs. */
export function sameChecksum(a: Checksum, b: Checksum): boolean {
  return a.count === b.count && a.low === b.low && a.high === b.high;
}

/** Adds the encoded pair that lies between two offsets. */
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

/** Spreads every bit over all others, so that sums tell sets apart. */
function finished(hash: number): number {
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return hash ^ hash >>> 16;
}

/** Where the pair of a resource is written to be added up. */
const scratch = new Uint8Array(1024);

/** What resources add to a checksum, made once for each. */
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
