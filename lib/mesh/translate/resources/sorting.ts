/**
 * Order of keys in derived lists.
 *
 * @module
 */
import type { KeyCodec } from "../../graph/mod.ts";

/** Keys sorted by their texts, so that a list depends only on what is in it. */
export function sortedKeys<K>(codec: KeyCodec<K>, keys: readonly K[]): readonly K[] {
  const texts = keys.map((key) => [codec.encode(key), key] as const);
  return texts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, key]) => key);
}
