/**
 * Made-up addresses of the pods and Services of manifests: in the ranges of RFC 2544, which no network uses.
 *
 * @module
 */
import { hexDigest } from "../../../kit/base/mod.ts";

/** First bytes of the addresses of pods and of Services. */
export const RANGES = { pods: "198.18", services: "198.19" } as const;

/** Addresses of a range. */
const SIZE = 65_536;

/**
 * An address for each key. It depends on the key, so that another workload beside it changes nothing,
 * unless two keys come to the same address: then the later one takes the next free address.
 */
export function addressesOf(
  range: string,
  keys: readonly string[],
): (key: string) => string {
  const taken = new Set<number>();
  const found = new Map<string, string>();
  for (const key of new Set(keys)) {
    if (taken.size === SIZE) break;
    let at = parseInt(hexDigest("sha256", key).slice(0, 4), 16);
    while (taken.has(at)) at = (at + 1) % SIZE;
    taken.add(at);
    found.set(key, `${range}.${at >> 8}.${at & 255}`);
  }
  return (key) => found.get(key) ?? "";
}
