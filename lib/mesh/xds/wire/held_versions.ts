/**
 * The versions that a reconnecting client reports, stored as received. Most clients have exactly
 * the expected resources, which a {@link Checksum} shows; only for others names are decoded for
 * lookups, and versions are compared in place.
 *
 * @module
 */
import { addPair, type Checksum, newChecksum } from "./checksum.ts";
import { FieldReader, textOf } from "./protobuf.ts";

/** Versions by resource name. */
export interface HeldVersions {
  /** Entries, those that others repeat included. */
  readonly size: number;
  /** Bytes of the request that are stored for it. */
  readonly bytes: number;
  /** The sum of all entries; `undefined` when some are written in an unusual way. */
  readonly checksum: Checksum | undefined;
  /** Reports if the client has this version of this resource. */
  has(name: string, version: string): boolean;
  names(): Iterable<string>;
}

/** Versions being read. */
export interface HeldVersionsReader extends HeldVersions {
  /**
   * Adds a map entry between two offsets; its tag is at `from`. Throws `MeshError`
   * `wire-malformed`, and the errors of the check of names.
   */
  add(from: number, start: number, end: number): void;
}

/** Tags of the two fields of a map entry of strings. */
const NAME = 0x0a;
const VERSION = 0x12;

/**
 * Returns the versions whose entries are fields `number` of `bytes`, which must not change
 * afterwards.
 */
export function heldVersions(
  bytes: Uint8Array,
  number: number,
  checkName: (length: number) => void,
): HeldVersionsReader {
  const checksum = newChecksum();
  /** Range of the usual entries. */
  let [first, last] = [-1, -1];
  /** Offset of each version; its length is before it and below 128. Created on demand. */
  let offsets: Map<string, number> | undefined;
  /** Versions of entries that are written in an unusual way. */
  const others = new Map<string, string>();
  const usual = (): Map<string, number> => {
    if (offsets) return offsets;
    offsets = new Map();
    for (const field = new FieldReader(bytes, Math.max(0, first), last); field.next();) {
      if (field.number !== number || !isUsual(bytes, field.start, field.end)) continue;
      const nameAt = field.start + 2;
      const nameEnd = nameAt + bytes[field.start + 1]!;
      offsets.set(textOf(bytes, nameAt, nameEnd), nameEnd + 2);
    }
    return offsets;
  };
  return {
    get size() {
      return checksum.count + others.size;
    },
    bytes: bytes.byteLength,
    get checksum() {
      return others.size === 0 ? checksum : undefined;
    },
    add(from, start, end) {
      if (!isUsual(bytes, start, end)) {
        return addSlowly(bytes.subarray(0, end), start, checkName, others);
      }
      checkName(bytes[start + 1]!);
      if (first < 0) first = from;
      last = end;
      addPair(checksum, bytes, start, end);
    },
    has(name, version) {
      const at = usual().get(name);
      if (at === undefined) return others.get(name) === version;
      if (bytes[at - 1] !== version.length) return false;
      for (let i = 0; i < version.length; i++) {
        if (bytes[at + i] !== version.charCodeAt(i)) return false;
      }
      return true;
    },
    *names() {
      yield* usual().keys();
      yield* others.keys();
    },
  };
}

/** Reports if an entry has a short name, a short version, and nothing else. */
function isUsual(bytes: Uint8Array, start: number, end: number): boolean {
  const size = bytes[start + 1] ?? 0;
  const versionTag = start + 2 + size;
  return bytes[start] === NAME && size < 128 && bytes[versionTag] === VERSION &&
    versionTag + 2 + (bytes[versionTag + 1] ?? 128) === end && end - versionTag - 2 < 128;
}

function addSlowly(
  bytes: Uint8Array,
  from: number,
  checkName: (length: number) => void,
  into: Map<string, string>,
): void {
  let name = "";
  let version = "";
  for (const field = new FieldReader(bytes, from); field.next();) {
    const { number, start, end } = field;
    if (number === 1) {
      checkName(end - start);
      name = textOf(bytes, start, end);
    } else if (number === 2) {
      version = textOf(bytes, start, end);
    }
  }
  into.set(name, version);
}
