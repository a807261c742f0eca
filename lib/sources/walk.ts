/**
 * Finds the configuration files below a directory.
 *
 * @module
 */
import type { Entry, FileStamp, Io } from "./io.ts";

/** What was found. Paths are relative to the root, with `/`. */
export interface Listing {
  /** Which directory the root is, behind all links. */
  readonly identity: string;
  /** Files by path, sorted. */
  readonly files: ReadonlyMap<string, FileStamp>;
  /** Directories and entries that could not be looked at, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Entries with a configuration file's name that are none: pipes, sockets, devices. */
  readonly irregular: readonly string[];
  /** Whether something of it has another name, and may change without an event that names it. */
  readonly linked: boolean;
}

/** Bounds of a walk; nothing sane comes near. */
const MAX_DEPTH = 32;
const MAX_FILES = 200_000;

/**
 * Whether a name is one of a configuration file: `.yaml`, `.yml` or `.json`.
 * Hidden files are none, which keeps out editors' temporary files (`.x.swp`,
 * `.#x`) and the hidden directories of volumes that are swapped by a link;
 * other temporary files end otherwise (`x~`, `#x#`, `4913`).
 */
export function isConfigName(name: string): boolean {
  return !name.startsWith(".") && !name.startsWith("#") && /\.(?:ya?ml|json)$/.test(name);
}

/**
 * Walks a directory and those below it, through links; a directory that was
 * entered on the way down is not entered again.
 *
 * @throws what `io.stat` and `io.list` throw for the root itself.
 */
export async function listFiles(root: string, io: Io): Promise<Listing> {
  const top = await io.stat(root);
  const found = {
    identity: top.identity,
    files: new Map<string, FileStamp>(),
    unreadable: new Map<string, string>(),
    irregular: [] as string[],
    linked: false,
  };
  await visit(root, "", await io.list(root), [top.identity], io, found);
  found.files = new Map([...found.files].sort(([a], [b]) => a < b ? -1 : 1));
  return found;
}

interface Found {
  readonly files: Map<string, FileStamp>;
  readonly unreadable: Map<string, string>;
  readonly irregular: string[];
  linked: boolean;
}

async function visit(
  root: string,
  below: string,
  entries: readonly Entry[],
  above: readonly string[],
  io: Io,
  found: Found,
): Promise<void> {
  const visible = entries.filter(({ name }) => !name.startsWith("."));
  const stamps = await lookAll(visible.map(({ name }) => `${root}/${below}${name}`), io);
  for (const [index, { name, link }] of visible.entries()) {
    const path = `${below}${name}`;
    const entry = stamps[index];
    if (link) found.linked = true;
    if (entry === undefined) continue;
    if (typeof entry === "object" && entry.shared) found.linked = true;
    if (typeof entry === "string") {
      found.unreadable.set(path, entry);
    } else if (entry.kind === "directory") {
      await descend(root, path, entry.identity, above, io, found);
    } else if (isConfigName(name)) {
      if (entry.kind === "other") found.irregular.push(path);
      else if (found.files.size < MAX_FILES) found.files.set(path, entry);
      else found.unreadable.set(path, `more than ${MAX_FILES} files`);
    }
  }
}

/** So many at a time is more than twice as fast as one by one, or as all at once. */
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

/** An entry's stamp; the reason when it cannot be had; nothing when it is gone. */
async function look(path: string, io: Io): Promise<FileStamp | string | undefined> {
  try {
    return await io.stat(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : reason(error);
  }
}

async function descend(
  root: string,
  path: string,
  identity: string,
  above: readonly string[],
  io: Io,
  found: Found,
): Promise<void> {
  if (above.includes(identity)) return;
  if (above.length >= MAX_DEPTH) {
    found.unreadable.set(path, `more than ${MAX_DEPTH} directories deep`);
    return;
  }
  let entries: Entry[];
  try {
    entries = await io.list(`${root}/${path}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) found.unreadable.set(path, reason(error));
    return;
  }
  await visit(root, `${path}/`, entries, [...above, identity], io, found);
}

/** What went wrong, in words. */
export function reason(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
