/**
 * Reads files that are being written to, and only those that changed.
 *
 * @module
 */
import { basename } from "node:path";
import { formatDuration, hash, MeshError } from "../base/mod.ts";
import { eachPiece, type ParsedDocument, type SchemaProblem } from "../schema/mod.ts";
import { decodeUtf8, type YamlLimits } from "../text/mod.ts";
import type { FileStamp, Io } from "./io.ts";
import { isConfigName, listFiles, type Listing, reason } from "./walk.ts";

/** What a reader needs. */
export interface ReaderOptions {
  readonly dir: string;
  readonly io: Io;
  readonly limits: YamlLimits;
  /** A file is read when it was left alone for so long, in milliseconds. */
  readonly settleMs: number;
  /** What takes longer to read is given up for now, in milliseconds. */
  readonly deadlineMs: number;
  /** Called when the disk is through with a file that was given up. */
  readonly onLate: (file: string) => void;
}

/** What a file that changed holds, or why that cannot be told. */
export type ReadOutcome =
  | { readonly documents: readonly ParsedDocument[]; readonly problem?: undefined }
  | { readonly documents?: undefined; readonly problem: SchemaProblem };

/** Reads the files of one directory. */
export interface FileReader {
  /** What the directory holds; `undefined` when it came back empty and should be given a moment. Rejects when it cannot be read. */
  list(): Promise<Listing | undefined>;
  /** A file's documents; `undefined` when they are those of the last time, or the file is not at rest. `now`: at rest or not. */
  read(file: string, stamp: FileStamp, now: boolean): Promise<ReadOutcome | undefined>;
  /** The next read is the first. */
  forget(file: string): void;
  /**
   * A file that an event named: its stamp, `gone` when there is none, `aside` for what is no
   * configuration file, `unclear` when only a look at the whole directory can tell.
   */
  look(file: string): Promise<FileStamp | "gone" | "aside" | "unclear">;
  /** What was put off since the last call, so that another round is due soon; `""` stands for the directory. */
  putOff(): ReadonlySet<string>;
}

/** A file as it was read last. */
interface Seen {
  readonly stamp: string;
  readonly digest: string;
  /** Whether it was read so soon after its change that a second change may hide behind the same stamp. */
  readonly racy: boolean;
}

/** Time stamps of file systems tick every 1 to 10 ms; this is well above. */
const TICK_MS = 30;
/** A file that is written to all the time is read in the end. */
const MAX_WAIT_MS = 2_000;
/** How long a directory that came back empty may take to be filled. */
const RETURN_GRACE_MS = 1_000;
/** Parsing hands over to others after so long. */
const SLICE_MS = 10;

/** Creates a reader that has read nothing. */
export function createReader(options: ReaderOptions): FileReader {
  const { dir, io, limits, settleMs, deadlineMs } = options;
  const seen = new Map<string, Seen>();
  const waits = new Map<string, number>();
  let later = new Set<string>();
  let root: { identity: string; returnedAt?: number } | undefined;

  /** Puts a thing off, unless that was done for too long. */
  const mayWait = (what: string, now: number): boolean => {
    const since = waits.get(what) ?? now;
    waits.set(what, since);
    if (now - since >= MAX_WAIT_MS) return false;
    later.add(what);
    return true;
  };

  return {
    async list() {
      const listing = await listFiles(dir, io).catch((error) => {
        if (root !== undefined) root = { identity: "" };
        throw error;
      });
      if (root !== undefined && root.identity !== listing.identity) {
        root.returnedAt ??= Date.now();
        if (listing.files.size === 0 && Date.now() - root.returnedAt < RETURN_GRACE_MS) {
          later.add("");
          return undefined;
        }
      }
      root = { identity: listing.identity };
      return listing;
    },

    async read(file, stamp, now) {
      const last = seen.get(file);
      if (last?.stamp === stamp.stamp && !last.racy) return undefined;
      const age = Date.now() - stamp.modified;
      const busy = age >= 0 && age < settleMs;
      if (busy && !now && mayWait(file, Date.now())) return undefined;
      const path = `${dir}/${file}`;
      try {
        const [bytes, after] = await inTime(file, async () => {
          const bytes = await io.read(path, limits.fileBytes, stamp.size);
          // What is read at once, come what may, needs no second look; the next round has one.
          return [bytes, now ? stamp : await io.stat(path)] as const;
        });
        if (after.stamp !== stamp.stamp && mayWait(file, Date.now())) return undefined;
        waits.delete(file);
        const digest = hash(bytes);
        seen.set(file, { stamp: stamp.stamp, digest, racy: age < TICK_MS });
        if (age >= 0 && age < TICK_MS) later.add(file);
        if (digest === last?.digest) return undefined;
        return { documents: await parseInSlices(decodeUtf8(bytes), file, limits) };
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        return { problem: refusal(file, error, (digest) => remember(file, stamp, digest)) };
      }
    },

    forget(file) {
      seen.delete(file);
      waits.delete(file);
    },
    look: (file) => lookAt(`${dir}/${file}`, io),
    putOff() {
      const what = later;
      later = new Set();
      return what;
    },
  };

  /** What a piece of work gives, if it does so in time. The others' edits do not wait for a disk that hangs. */
  async function inTime<T>(file: string, work: () => Promise<T>): Promise<T> {
    const promise = work();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const end = () => options.onLate(file);
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

  /** A file whose content is at fault is not read again until it changes; one that could not be read is. */
  function remember(file: string, stamp: FileStamp, digest: string | undefined): void {
    if (digest === undefined) seen.delete(file);
    else seen.set(file, { stamp: stamp.stamp, digest, racy: seen.get(file)?.racy ?? false });
  }
}

async function lookAt(path: string, io: Io): Promise<FileStamp | "gone" | "aside" | "unclear"> {
  const isConfig = isConfigName(basename(path));
  try {
    const stamp = await io.stat(path);
    if (stamp.kind === "file" && !stamp.shared) return isConfig ? stamp : "aside";
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
  if (error instanceof MeshError) {
    // No content has this digest, so that any other content is news.
    remember("");
    return fileProblem(file, error.code, error.message, error.remedy ?? "Mend the file.");
  }
  remember(undefined);
  return fileProblem(file, "file-unreadable", reason(error), "Make it readable.");
}

/** A problem of a file as a whole. */
export function fileProblem(
  file: string,
  code: string,
  message: string,
  remedy: string,
): SchemaProblem {
  return { file, line: 1, column: 1, path: "", code, message, remedy };
}

async function parseInSlices(
  text: string,
  file: string,
  limits: YamlLimits,
): Promise<ParsedDocument[]> {
  const documents: ParsedDocument[] = [];
  let since = performance.now();
  for (const document of eachPiece(text, file, limits)) {
    if (document !== undefined) documents.push(document);
    if (performance.now() - since < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    since = performance.now();
  }
  return documents;
}
