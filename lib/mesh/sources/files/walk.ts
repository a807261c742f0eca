/**
 * Finds the configuration files below a directory.
 *
 * @module
 */
import type { Entry, FileStamp, Io } from "./io.ts";

/** Result of a walk. Paths are relative to the root, with `/`. */
export interface Listing {
  /** Identity of the root directory, behind all links. */
  readonly identity: string;
  /** Files by path, sorted. */
  readonly files: ReadonlyMap<string, FileStamp>;
  /** Directories and entries that could not be read, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Entries that are named like configuration files and are pipes, sockets or devices. */
  readonly irregular: readonly string[];
  /** True when an entry has another name, and may change without an event that names it. */
  readonly linked: boolean;
}

/** Bounds of a walk, far above what real directories have. */
const MAX_DEPTH = 32;
const MAX_FILES = 200_000;

/**
 * True for the name of a configuration file: `.yaml`, `.yml` or `.json`. Hidden files are excluded:
 * temporary files of editors (`.x.swp`, `.#x`) and the hidden directories of volumes that are swapped
 * by a link. Other temporary files have other endings (`x~`, `#x#`, `4913`).
 */
export function isConfigName(name: string): boolean {
  return !name.startsWith(".") && !name.startsWith("#") && /\.(?:ya?ml|json)$/.test(name);
}

/**
 * Walks a directory and the directories below it, through links. A directory that is being walked
 * already is not entered again.
 *
 * @throws the errors of `io.stat` and `io.list` for the root
 */
export async function listFiles(root: string, io: Io): Promise<Listing> {
  const top = await io.stat(root);
  const walk: Walk = {
    root,
    io,
    files: new Map(),
    unreadable: new Map(),
    irregular: [],
    linked: false,
  };
  await visit(walk, "", await io.list(root), [top.identity]);
  const files = new Map([...walk.files].sort(([a], [b]) => a < b ? -1 : 1));
  const { unreadable, irregular, linked } = walk;
  return { identity: top.identity, files, unreadable, irregular, linked };
}

/** A walk in progress. */
interface Walk {
  readonly root: string;
  readonly io: Io;
  readonly files: Map<string, FileStamp>;
  readonly unreadable: Map<string, string>;
  readonly irregular: string[];
  linked: boolean;
}

/**
 * Visits the entries of one directory.
 *
 * @param below path of the directory, with a trailing `/`; empty for the root
 * @param above identities of the directories on the way down to it
 */
async function visit(
  walk: Walk,
  below: string,
  entries: readonly Entry[],
  above: readonly string[],
): Promise<void> {
  const visible = entries.filter(({ name }) => !name.startsWith("."));
  const stamps = await lookAll(visible.map(({ name }) => `${walk.root}/${below}${name}`), walk.io);
  for (const [index, { name, link }] of visible.entries()) {
    const path = `${below}${name}`;
    const entry = stamps[index];
    if (link) walk.linked = true;
    if (entry === undefined) continue;
    if (typeof entry === "object" && entry.shared) walk.linked = true;
    if (typeof entry === "string") {
      walk.unreadable.set(path, entry);
    } else if (entry.kind === "directory") {
      await descend(walk, path, entry.identity, above);
    } else if (isConfigName(name)) {
      if (entry.kind === "other") walk.irregular.push(path);
      else if (walk.files.size < MAX_FILES) walk.files.set(path, entry);
      else walk.unreadable.set(path, `more than ${MAX_FILES} files`);
    }
  }
}

async function descend(
  walk: Walk,
  path: string,
  identity: string,
  above: readonly string[],
): Promise<void> {
  if (above.includes(identity)) return;
  if (above.length >= MAX_DEPTH) {
    walk.unreadable.set(path, `more than ${MAX_DEPTH} directories deep`);
    return;
  }
  let entries: Entry[];
  try {
    entries = await walk.io.list(`${walk.root}/${path}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) walk.unreadable.set(path, reason(error));
    return;
  }
  await visit(walk, `${path}/`, entries, [...above, identity]);
}

/** Parallel `stat` calls: more than twice as fast as one by one, or as all at once. */
const LOOKS_AT_ONCE = 64;

async function lookAll(
  paths: readonly string[],
  io: Io,
): Promise<(FileStamp | string | undefined)[]> {
  const stamps: (FileStamp | string | undefined)[] = new Array(paths.length);
  let next = 0;
  const work = async () => {
    for (let at = next++; at < paths.length; at = next++) stamps[at] = await look(paths[at]!, io);
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work));
  return stamps;
}

/** The stamp of an entry, or the reason why it cannot be read; `undefined` when it does not exist. */
async function look(path: string, io: Io): Promise<FileStamp | string | undefined> {
  try {
    return await io.stat(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : reason(error);
  }
}

/** The reason of a failed operation, in words. */
export function reason(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
