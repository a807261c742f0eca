/**
 * File system operations of the sources.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";

/** Properties of a file by which a change or a replacement is detected. */
export interface FileStamp {
  readonly kind: "file" | "directory" | "other";
  /** Device and inode: the identity behind all links. */
  readonly identity: string;
  /** Changes when content, size or access rights do; not for changes within one tick of the clock. */
  readonly stamp: string;
  /** Last change of the content, in milliseconds since the epoch; 0 when unknown. */
  readonly modified: number;
  readonly size: number;
  /** True when the file has a second name (a hard link), under which it may change. */
  readonly shared: boolean;
}

/** An entry of a directory. */
export interface Entry {
  readonly name: string;
  /** True for a symbolic link: its target may change without an event in this directory. */
  readonly link: boolean;
}

/** Access to files; every function rejects with `Deno.errors` as they come. */
export interface Io {
  /** Follows links. */
  stat(path: string): Promise<FileStamp>;
  /** Entries of a directory, sorted by name. */
  list(path: string): Promise<Entry[]>;
  /**
   * Reads the whole content. With a `size` within the limit the file is read in one call and its
   * length is checked afterwards.
   *
   * @throws {MeshError} `file-too-large` when it has more than `limit` bytes.
   */
  read(path: string, limit: number, size?: number): Promise<Uint8Array>;
}

/** The real file system. */
export const diskIo: Io = { stat, list, read };

async function stat(path: string): Promise<FileStamp> {
  const info = await Deno.stat(path);
  const modified = info.mtime?.getTime() ?? 0;
  return {
    kind: info.isFile ? "file" : info.isDirectory ? "directory" : "other",
    identity: `${info.dev}:${info.ino}`,
    stamp: [info.dev, info.ino, info.size, modified, info.ctime?.getTime(), info.mode].join(":"),
    modified,
    size: info.size,
    shared: info.isFile && (info.nlink ?? 1) > 1,
  };
}

async function list(path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { name, isSymlink } of Deno.readDir(path)) {
    entries.push({ name, link: isSymlink });
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

async function read(path: string, limit: number, size = 0): Promise<Uint8Array> {
  // Files of the kernel have size 0: they are read in pieces.
  if (size === 0 || size > limit) return await readWithin(path, limit);
  const bytes = await Deno.readFile(path);
  if (bytes.length > limit) throw tooLarge(bytes.length, limit);
  return bytes;
}

/** Reads at most `limit` bytes, whatever the reported size of the file. */
async function readWithin(path: string, limit: number): Promise<Uint8Array> {
  using file = await Deno.open(path, { read: true });
  const { size } = await file.stat();
  if (size > limit) throw tooLarge(size, limit);
  // One byte more than the limit, to notice a file that grows.
  let buffer = new Uint8Array(Math.min(limit, Math.max(size, 4096)) + 1);
  let length = 0;
  for (;;) {
    const count = await file.read(buffer.subarray(length));
    if (count === null) return buffer.slice(0, length);
    length += count;
    if (length > limit) throw tooLarge(length, limit);
    if (length === buffer.length) {
      const larger = new Uint8Array(Math.min(limit + 1, buffer.length * 2));
      larger.set(buffer);
      buffer = larger;
    }
  }
}

function tooLarge(size: number, limit: number): MeshError {
  return new MeshError(
    "file-too-large",
    `the file has ${size} bytes or more, the limit is ${limit}`,
    {
      remedy: "Split the file.",
    },
  );
}
