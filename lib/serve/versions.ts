/**
 * What a returning client says it holds, kept as it came: names become strings, because they are
 * looked up, versions are compared where they lie.
 *
 * @module
 */
import { fields, textOf } from "./wire.ts";

/** Versions by resource name. */
export interface HeldVersions {
  readonly size: number;
  /** Whether the client holds this version of this resource. */
  has(name: string, version: string): boolean;
  names(): Iterable<string>;
}

/** Versions being read. */
export interface HeldVersionsReader extends HeldVersions {
  /** Takes in a map entry that lies between two offsets. Throws `MeshError` `wire-malformed`. */
  add(start: number, end: number): void;
}

/** Tags of the two fields of a map entry of strings. */
const NAME = 0x0a;
const VERSION = 0x12;

/** Versions whose entries lie in `bytes`, which must not change afterwards. */
export function heldVersions(
  bytes: Uint8Array,
  checkName: (length: number) => void,
): HeldVersionsReader {
  /** Offset of each version; its length lies before it, and is below 128. */
  const offsets = new Map<string, number>();
  /** Versions of entries that are written in an unusual way. */
  const others = new Map<string, string>();
  return {
    get size() {
      return offsets.size + others.size;
    },
    add(start, end) {
      const nameAt = start + 2;
      const size = bytes[start + 1] ?? 0;
      const versionAt = nameAt + size + 2;
      const usual = bytes[start] === NAME && size < 128 && bytes[nameAt + size] === VERSION &&
        versionAt + (bytes[versionAt - 1] ?? 128) === end && end - versionAt < 128;
      if (!usual) return addSlowly(bytes, start, end, checkName, others);
      checkName(size);
      offsets.set(textOf(bytes, nameAt, nameAt + size), versionAt);
    },
    has(name, version) {
      const at = offsets.get(name);
      if (at === undefined) return others.get(name) === version;
      if (bytes[at - 1] !== version.length) return false;
      for (let i = 0; i < version.length; i++) {
        if (bytes[at + i] !== version.charCodeAt(i)) return false;
      }
      return true;
    },
    *names() {
      yield* offsets.keys();
      yield* others.keys();
    },
  };
}

function addSlowly(
  bytes: Uint8Array,
  from: number,
  to: number,
  checkName: (length: number) => void,
  into: Map<string, string>,
): void {
  let name = "";
  let version = "";
  for (const { number, start, end } of fields(bytes, from, to)) {
    if (number === 1) {
      checkName(end - start);
      name = textOf(bytes, start, end);
    } else if (number === 2) {
      version = textOf(bytes, start, end);
    }
  }
  into.set(name, version);
}
