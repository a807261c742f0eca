/**
 * The files of the node, in operations that either happen or do not.
 *
 * @module
 */
import { dirname, join } from "node:path";

/** Content of a file. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Owner and mode of a file. */
export interface FileFacts {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Facts of a file, a directory or a link. */
export interface PathFacts extends FileFacts {
  /** Text of a symbolic link; absent: it is none. */
  readonly link?: string;
  readonly isFile: boolean;
  /** Changes when the file is replaced or written; for files that are too large to read each time. */
  readonly identity: string;
}

/** Operations on the node's files. Tests end the process between any two of them. */
export interface NodeFiles {
  /** Names in a directory, sorted; `undefined` if there is no such directory. */
  list(dir: string): Promise<string[] | undefined>;
  /** The content of a file, through links; `undefined` if there is none. */
  read(path: string): Promise<Bytes | undefined>;
  /** Facts of a path: of the link itself with `link`, of its target with the rest. */
  facts(path: string): Promise<PathFacts | undefined>;
  /** The path without links; `undefined` if it leads nowhere. */
  resolve(path: string): Promise<string | undefined>;
  makeDir(dir: string): Promise<void>;
  /** Writes a new file, or over one, to the disk. */
  create(path: string, bytes: Bytes, facts: FileFacts): Promise<void>;
  link(target: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or link, if it is there. */
  remove(path: string): Promise<void>;
  /** Writes the names of a directory to the disk. */
  sync(dir: string): Promise<void>;
}

/** Ending of files that are being written. Runtimes read no files with this ending. */
export const UNFINISHED = ".mesh-cni-tmp";

/** The path at which a file is written before it takes its place. */
export function unfinishedPath(path: string): string {
  return join(dirname(path), `.${path.slice(dirname(path).length + 1)}${UNFINISHED}`);
}

/** The files of this machine. */
export const DISK: NodeFiles = {
  async list(dir) {
    const names = await orMissing(() => Array.fromAsync(Deno.readDir(dir), ({ name }) => name));
    return names?.sort();
  },
  read: (path) => orMissing(() => Deno.readFile(path)),
  async facts(path) {
    const own = await orMissing(() => Deno.lstat(path));
    if (own === undefined) return undefined;
    const link = own.isSymlink ? await Deno.readLink(path) : undefined;
    const info = own.isSymlink ? await orMissing(() => Deno.stat(path)) : own;
    const { mode, uid, gid } = info ?? own;
    const { ino, size, mtime, ctime } = info ?? own;
    return {
      mode: (mode ?? 0o644) & 0o7777,
      uid: uid ?? 0,
      gid: gid ?? 0,
      ...link !== undefined && { link },
      isFile: info?.isFile ?? false,
      identity: [ino, size, mtime?.getTime(), ctime?.getTime()].join(),
    };
  },
  resolve: (path) => orMissing(() => Deno.realPath(path)),
  makeDir: (dir) => Deno.mkdir(dir, { recursive: true }),
  async create(path, bytes, { mode, uid, gid }) {
    // A link in the way, left by anybody, must not be followed.
    await DISK.remove(path);
    using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await Deno.chown(path, uid, gid);
    await Deno.chmod(path, mode);
    await file.sync();
  },
  link: (target, path) => Deno.symlink(target, path),
  rename: (from, to) => Deno.rename(from, to),
  async remove(path) {
    await orMissing(() => Deno.remove(path));
  },
  async sync(dir) {
    using handle = await Deno.open(dir, { read: true });
    await handle.sync();
  },
};

async function orMissing<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isMissing) return undefined;
    throw error;
  }
}
