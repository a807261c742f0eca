/**
 * Source of configuration objects: the files below one directory.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import type { Intake } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { SchemaProblem } from "../../schema/mod.ts";
import { DEFAULT_YAML_LIMITS, type YamlLimits } from "../../../kit/text/mod.ts";
import {
  applyHints,
  type ChangedPaths,
  type ChangeHints,
  createChangeHints,
} from "./change_hints.ts";
import { createFileIndex, type FileIndex } from "./file_index.ts";
import type { SourceProblem } from "./source_problem.ts";
import { createReader, type FileReader, type Unfinished } from "./file_reader.ts";
import { diskIo, type FileStamp, type Io } from "./io.ts";
import { prefetch } from "./prefetch.ts";
import { fileProblem } from "./read_documents.ts";
import { countRejected, createProblemReporter, type ProblemReporter } from "./problem_reporter.ts";
import {
  DEFAULT_TIMING,
  type ScanScheduler,
  type ScanTiming,
  startScanScheduler,
} from "./scan_scheduler.ts";
import { type Listing, reason } from "./walk.ts";
import { watchTree } from "./watch.ts";

/** Settings of a file source. */
export interface FileSourceOptions {
  /** Absolute path of the directory. */
  readonly dir: string;
  /**
   * Takes the changes. The first call has all objects. The time of a call is that of the last event
   * that the scan was for, by `performance.now()`.
   */
  readonly intake: ObjectIntake;
  readonly limits?: YamlLimits;
  readonly timing?: Partial<ScanTiming>;
  /** Milliseconds that reading one file may delay the others; default 2000. */
  readonly deadlineMs?: number;
  /** For tests. */
  readonly io?: Io;
}

/** The part of an intake that a source of objects uses. */
export type ObjectIntake = Pick<Intake, "objects" | "expecting" | "health">;

/** A running file source. */
export interface FileSource {
  /** Objects in use, sorted by kind, namespace and name; origins are those of the last read. */
  objects(): readonly ConfigObject[];
  /** Reasons of the rejected documents, sorted by file and line. */
  problems(): readonly SourceProblem[];
  /** Warnings about documents in use. */
  warnings(): readonly SchemaProblem[];
  /** Scans all files now. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads all files below a directory and follows their changes. Resolves when the first scan was
 * reported to the intake.
 *
 * A faulty document is rejected, and the last good version of its object from the same file stays in
 * use. All objects stay in use when the directory disappears or a file cannot be read.
 *
 * @throws {MeshError} `config-dir` when the directory cannot be read at the start
 */
export async function startFileSource(options: FileSourceOptions): Promise<FileSource> {
  const { dir, intake, io = diskIo } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const follower: { scheduler?: ScanScheduler } = {};
  const scanner = new Scanner(options, timing, () => follower.scheduler?.trigger());
  await scanner.scan(true, performance.now());
  /** Time of the last event whose files were not read yet. */
  let lastEvent: number | undefined;
  const setLastEvent = (at: number | undefined): void => {
    lastEvent = at;
    intake.expecting(at !== undefined);
  };
  const watch = watchTree(dir, io, (path, complete) => {
    scanner.hints.add(path, complete);
    setLastEvent(performance.now());
    follower.scheduler?.trigger(scanner.hints.complete());
  });
  const running = follower.scheduler = startScanScheduler(async () => {
    await watch.refresh();
    const event = lastEvent;
    await scanner.scan(false, event ?? performance.now(), scanner.hints.take());
    const { postponed, racy } = scanner.takeUnfinished();
    if (postponed.size + racy.size > 0) running.trigger();
    if (postponed.size === 0 && lastEvent === event) setLastEvent(undefined);
  }, timing);
  // Opening the watch triggers a scan, which sees what changed since the first one.
  await watch.refresh();
  return {
    objects: () => scanner.index.objects(),
    problems: () => scanner.reporter.dated(scanner.problems()),
    warnings: () => scanner.index.warnings(),
    rescan() {
      scanner.hints.add(undefined);
      return running.run();
    },
    async close() {
      await running.close();
      watch.close();
      intake.expecting(false);
    },
  };
}

/** Scans a directory: reads changed files into the index, and reports changes and problems. */
class Scanner {
  readonly index: FileIndex = createFileIndex();
  readonly hints: ChangeHints = createChangeHints();
  readonly reporter: ProblemReporter = createProblemReporter();
  readonly #dir: string;
  readonly #intake: ObjectIntake;
  readonly #reader: FileReader;
  #dirProblem: SourceProblem | undefined;
  /** True when events name all files that change; false until the directory was scanned. */
  #eventsNameAll = false;

  /** `onLate`: is called when a file that was slow to read is ready. */
  constructor(options: FileSourceOptions, timing: ScanTiming, onLate: () => void) {
    const { dir, intake, io = diskIo, limits = DEFAULT_YAML_LIMITS } = options;
    this.#dir = dir;
    this.#intake = intake;
    this.#reader = createReader({
      dir,
      io,
      limits,
      settleMs: timing.quiet,
      completeMs: timing.complete,
      deadlineMs: options.deadlineMs ?? READ_DEADLINE_MS,
      onLate: (file) => {
        this.hints.add(file);
        onLate();
      },
    });
  }

  problems(): readonly SourceProblem[] {
    const problems = this.index.problems();
    return this.#dirProblem ? [this.#dirProblem, ...problems] : problems;
  }

  /** Takes the unfinished files, and adds them to the hints. */
  takeUnfinished(): Unfinished {
    const unfinished = this.#reader.takeUnfinished();
    for (const path of [...unfinished.postponed, ...unfinished.racy]) {
      this.hints.add(path === "" ? undefined : path);
    }
    return unfinished;
  }

  /**
   * Scans the files of `paths`, or all. `at`: time of the event that the scan is for.
   *
   * @throws {MeshError} `config-dir` when the directory cannot be read in the first scan
   */
  async scan(first: boolean, at: number, paths?: ChangedPaths): Promise<void> {
    let rejected = 0;
    try {
      rejected = await this.#read(first, paths);
    } catch (error) {
      if (first) throw cannotRead(this.#dir, error);
      this.#eventsNameAll = false;
      this.#dirProblem = directoryProblem(this.#dir, error, this.index.objects().length > 0);
    }
    const changes = this.index.takeChanges();
    this.reporter.report(this.problems(), this.index.warnings());
    countRejected(rejected, this.index.rejected());
    this.#intake.health(this.#dirProblem?.message);
    if (changes.upserts.length + changes.deletes.length > 0) this.#intake.objects(changes, at);
  }

  /** Brings the index up to date. Returns the number of newly rejected documents. */
  async #read(first: boolean, paths: ChangedPaths | undefined): Promise<number> {
    const count = this.#eventsNameAll && paths !== undefined
      ? await applyHints(paths, this.#reader, this.index)
      : undefined;
    if (count !== undefined) return count;
    const listing = await this.#reader.list();
    this.#dirProblem = undefined;
    this.#eventsNameAll = listing?.linked === false;
    return listing === undefined ? 0 : await applyListing(listing, this.#reader, this.index, first);
  }
}

/** After this time edits of other files would wait noticeably. */
const READ_DEADLINE_MS = 2_000;

/** Reading one by one left the processor idle for a quarter of a start with 1,750 files. */
const READS_AT_ONCE = 16;

/**
 * Updates the index with the content of the directory. Returns the number of newly rejected
 * documents.
 */
async function applyListing(
  listing: Listing,
  reader: FileReader,
  index: FileIndex,
  first: boolean,
): Promise<number> {
  let rejected = 0;
  for (const file of index.files()) {
    if (listing.files.has(file) || isUnreachable(file, listing)) continue;
    index.drop(file);
    reader.forget(file);
  }
  const refuse = (file: string, code: string, message: string) => {
    reader.forget(file);
    rejected += index.refuse(file, fileProblem(file, code, message, "Make it readable."));
  };
  for (const [path, why] of listing.unreadable) refuse(path, "file-unreadable", why);
  for (const path of listing.irregular) refuse(path, "file-irregular", "not a regular file");
  const read = ([file, stamp]: readonly [string, FileStamp]) =>
    reader.read(file, stamp, first ? "ignored" : "unknown");
  for await (const [[file], outcome] of prefetch(listing.files, READS_AT_ONCE, read)) {
    if (outcome?.problem !== undefined) rejected += index.refuse(file, outcome.problem);
    if (outcome?.documents !== undefined) rejected += index.put(file, outcome.documents);
  }
  return rejected;
}

/** True for a file that may still exist, in a directory that cannot be read. */
function isUnreachable(file: string, listing: Listing): boolean {
  for (const path of listing.unreadable.keys()) {
    if (file === path || file.startsWith(`${path}/`)) return true;
  }
  return listing.irregular.includes(file);
}

function cannotRead(dir: string, cause: unknown): MeshError {
  return new MeshError(
    "config-dir",
    `cannot read the configuration directory ${dir}: ${reason(cause)}`,
    {
      remedy: "Name a directory that exists and can be read.",
      cause,
    },
  );
}

function directoryProblem(dir: string, error: unknown, lastGoodServes: boolean): SourceProblem {
  const missing = error instanceof Deno.errors.NotFound;
  const message = missing
    ? "the directory is gone"
    : `the directory cannot be read: ${reason(error)}`;
  const remedy = "Restore it; until then the objects that were read last stay in use.";
  return { ...fileProblem(dir, "config-dir", message, remedy), lastGoodServes };
}
