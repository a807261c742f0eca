/**
 * Reads files that may be written to at the same time, and only those that changed.
 *
 * @module
 */
import { basename } from "node:path";
import { formatDuration, hash, MeshError } from "../../../kit/base/mod.ts";
import type { ParsedDocument, SchemaProblem } from "../../schema/mod.ts";
import type { YamlLimits } from "../../../kit/text/mod.ts";
import type { FileStamp, Io } from "./io.ts";
import { readDocuments, unusableFile } from "./read_documents.ts";
import { isConfigName, listFiles, type Listing } from "./walk.ts";

/** Settings of a reader. */
export interface ReaderOptions {
  readonly dir: string;
  readonly io: Io;
  readonly limits: YamlLimits;
  /** A file is read when it was not written to for this time, in milliseconds. */
  readonly settleMs: number;
  /** The same for a file that is complete as far as is known. */
  readonly completeMs: number;
  /** Reading one file is given up after this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Called when the read of a file that was given up ends. */
  readonly onLate: (file: string) => void;
}

/** The documents of a changed file, or the reason why they cannot be read. */
export type ReadOutcome =
  | { readonly documents: readonly ParsedDocument[]; readonly problem?: undefined }
  | { readonly documents?: undefined; readonly problem: SchemaProblem };

/**
 * A path that is not simply a file: it does not exist, it is no configuration file, or only a scan of
 * the whole directory can tell.
 */
export type Look = "gone" | "ignored" | "unclear";

/**
 * State of a file's writers: unknown; `complete`: the last one closed it. `ignored`: the file is read
 * in any case.
 */
export type Writing = "unknown" | "complete" | "ignored";

/** Reads the files of one directory. */
export interface FileReader {
  /**
   * Lists the directory; `undefined` when it was replaced by an empty one, which may still be filled.
   * Rejects when it cannot be read.
   */
  list(): Promise<Listing | undefined>;
  /**
   * Reads a file; `undefined` when its documents are those of the last read, or when the file was
   * written to a moment ago.
   */
  read(file: string, stamp: FileStamp, writing: Writing): Promise<ReadOutcome | undefined>;
  /** Forgets a file: its next read counts as the first. */
  forget(file: string): void;
  /** Looks at a path that an event named. */
  look(file: string): Promise<FileStamp | Look>;
  /** Returns and clears the files that have to be looked at again. */
  takeUnfinished(): Unfinished;
}

/** Files that have to be looked at again; `""` means the directory. */
export interface Unfinished {
  /** Files that changed and were not read. */
  readonly postponed: ReadonlySet<string>;
  /** Files that were read so soon after a change that another one may have the same time. */
  readonly racy: ReadonlySet<string>;
}

/** State of a file at its last read. */
interface Seen {
  readonly stamp: string;
  readonly digest: string;
  /** True when it was read so soon after its change that a second change may have the same stamp. */
  readonly racy: boolean;
}

/** Time stamps of file systems tick every 1 to 10 ms; this is well above. */
const TICK_MS = 30;
/** A file that is written to all the time is read after this. */
const MAX_WAIT_MS = 2_000;
/** Time for an emptied directory to be filled again, ms. */
const RETURN_GRACE_MS = 1_000;

/** Creates a reader that has read nothing. */
export function createReader(options: ReaderOptions): FileReader {
  return new Reader(options);
}

class Reader implements FileReader {
  readonly #options: ReaderOptions;
  readonly #seen = new Map<string, Seen>();
  /** When the read of a file was postponed first, milliseconds since the epoch. */
  readonly #waits = new Map<string, number>();
  #postponed = new Set<string>();
  #racy = new Set<string>();
  #root: { identity: string; returnedAt?: number } | undefined = undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async list(): Promise<Listing | undefined> {
    const { dir, io } = this.#options;
    const listing = await listFiles(dir, io).catch((error) => {
      if (this.#root !== undefined) this.#root = { identity: "" };
      throw error;
    });
    const root = this.#root;
    if (root !== undefined && root.identity !== listing.identity) {
      root.returnedAt ??= Date.now();
      if (listing.files.size === 0 && Date.now() - root.returnedAt < RETURN_GRACE_MS) {
        this.#postponed.add("");
        return undefined;
      }
    }
    this.#root = { identity: listing.identity };
    return listing;
  }

  async read(file: string, stamp: FileStamp, writing: Writing): Promise<ReadOutcome | undefined> {
    const { dir, io, limits, settleMs, completeMs } = this.#options;
    const now = writing === "ignored";
    const last = this.#seen.get(file);
    if (last?.stamp === stamp.stamp && !last.racy) return undefined;
    const age = Date.now() - stamp.modified;
    const busy = age >= 0 && age < (writing === "complete" ? completeMs : settleMs);
    if (busy && !now && this.#postpone(file, Date.now())) return undefined;
    const path = `${dir}/${file}`;
    try {
      const [bytes, after] = await this.#inTime(file, async () => {
        const bytes = await io.read(path, limits.fileBytes, stamp.size);
        // A file that is read in any case needs no second look now: the next scan has one.
        return [bytes, now ? stamp : await io.stat(path)] as const;
      });
      if (after.stamp !== stamp.stamp && this.#postpone(file, Date.now())) return undefined;
      this.#waits.delete(file);
      const digest = hash(bytes);
      this.#seen.set(file, { stamp: stamp.stamp, digest, racy: age < TICK_MS });
      if (age >= 0 && age < TICK_MS) this.#racy.add(file);
      if (digest === last?.digest) return undefined;
      return { documents: await readDocuments(bytes, file, limits) };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      return { problem: refusal(file, error, (digest) => this.#remember(file, stamp, digest)) };
    }
  }

  forget(file: string): void {
    this.#seen.delete(file);
    this.#waits.delete(file);
  }

  look(file: string): Promise<FileStamp | Look> {
    return lookAt(`${this.#options.dir}/${file}`, this.#options.io);
  }

  takeUnfinished(): Unfinished {
    const unfinished = { postponed: this.#postponed, racy: this.#racy };
    this.#postponed = new Set();
    this.#racy = new Set();
    return unfinished;
  }

  /** Postpones the read of a file; false when it was postponed for too long. */
  #postpone(file: string, now: number): boolean {
    const since = this.#waits.get(file) ?? now;
    this.#waits.set(file, since);
    if (now - since >= MAX_WAIT_MS) return false;
    this.#postponed.add(file);
    return true;
  }

  /** The result of a read within the deadline, so that a slow disk does not delay edits of other files. */
  async #inTime<T>(file: string, read: () => Promise<T>): Promise<T> {
    const { deadlineMs, onLate } = this.#options;
    const promise = read();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const end = () => onLate(file);
        promise.then(end, end);
        reject(new Deno.errors.TimedOut(`reading takes longer than ${formatDuration(deadlineMs)}`));
      }, deadlineMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A file with faulty content (with a digest) is not read again until it changes; a file that could
   * not be read (without a digest) is read in the next scan.
   */
  #remember(file: string, stamp: FileStamp, digest: string | undefined): void {
    if (digest === undefined) this.#seen.delete(file);
    else {
      const racy = this.#seen.get(file)?.racy ?? false;
      this.#seen.set(file, { stamp: stamp.stamp, digest, racy });
    }
  }
}

async function lookAt(path: string, io: Io): Promise<FileStamp | Look> {
  const isConfig = isConfigName(basename(path));
  try {
    const stamp = await io.stat(path);
    if (stamp.kind === "file" && !stamp.shared) return isConfig ? stamp : "ignored";
    return "unclear";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "gone" : "unclear";
  }
}

function refusal(
  file: string,
  error: unknown,
  remember: (digest: string | undefined) => void,
): SchemaProblem {
  // No content has the empty digest, so that any other content counts as changed.
  remember(error instanceof MeshError ? "" : undefined);
  return unusableFile(file, error);
}
