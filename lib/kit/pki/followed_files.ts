/**
 * Following files of certificates and keys. They are read at an interval: volumes swap folders
 * under symbolic links, which watches of the file system miss.
 *
 * @module
 */

/** Contents by path; `undefined` for a file that does not exist. */
export type FileTexts = ReadonlyMap<string, string | undefined>;

/** Options of following files. */
export interface FollowOptions {
  readonly paths: readonly string[];
  /** Interval of reads, ms. */
  readonly intervalMs: number;
  /**
   * Called when files differ from before and have been the same for one interval. A rejection is
   * for the callee to report; the files are not tried again before they change again.
   */
  readonly changed: (texts: FileTexts) => Promise<void> | void;
  /** Called when files cannot be read; the last good contents stay in use. */
  readonly failed: (error: unknown) => void;
}

/** Largest file, bytes. */
const MAX_FILE = 1024 * 1024;

/** Reads files. Throws when one exists and cannot be read, or is larger than 1 MiB. */
export async function readTexts(paths: readonly string[]): Promise<FileTexts> {
  const read = async (path: string): Promise<string | undefined> => {
    try {
      if ((await Deno.stat(path)).size > MAX_FILE) throw new Error(`${path}: larger than 1 MiB`);
      return await Deno.readTextFile(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  };
  return new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
}

/** Follows files that had these contents. The returned function ends it. */
export function followFiles(first: FileTexts, options: FollowOptions): () => Promise<void> {
  let used = first;
  let seen = first;
  let busy: Promise<void> | undefined;
  const look = async () => {
    const texts = await readTexts(options.paths);
    const isQuiet = equal(texts, seen);
    seen = texts;
    if (!isQuiet || equal(texts, used)) return;
    used = texts;
    await options.changed(texts);
  };
  const timer = setInterval(() => {
    busy ??= look().catch(options.failed).finally(() => busy = undefined);
  }, options.intervalMs);
  Deno.unrefTimer(timer);
  return async () => {
    clearInterval(timer);
    await busy;
  };
}

function equal(a: FileTexts, b: FileTexts): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);
}
