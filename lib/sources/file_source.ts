/**
 * Configuration objects from the files below a directory.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { SchemaProblem } from "../schema/mod.ts";
import { DEFAULT_YAML_LIMITS, type YamlLimits } from "../text/mod.ts";
import { ahead } from "./ahead.ts";
import { createReader, fileProblem, type FileReader } from "./file_reader.ts";
import { applyHints, createHints } from "./hints.ts";
import { diskIo, type FileStamp, type Io } from "./io.ts";
import { type ChangeSet, createLedger, type Ledger, type SourceProblem } from "./ledger.ts";
import { countRejected, createNotices } from "./notices.ts";
import { DEFAULT_TIMING, type Pulse, startPulse, type Timing } from "./pulse.ts";
import { type Listing, reason } from "./walk.ts";
import { watchTree } from "./watch.ts";

/** What a file source needs. */
export interface FileSourceOptions {
  /** Absolute path of the directory. */
  readonly dir: string;
  /**
   * Called after each round that changed something; the first call has all objects. `at`: when
   * the last event came that the round was for, by `performance.now()`; what waits for edits to end
   * need not wait anew for the time that the files were left alone already. Must not throw.
   */
  readonly onChange: (changes: ChangeSet, at: number) => void;
  readonly limits?: YamlLimits;
  readonly timing?: Partial<Timing>;
  /** How long reading one file may hold up the others, in milliseconds; 2000 unless told. */
  readonly deadlineMs?: number;
  /** For tests. */
  readonly io?: Io;
}

/** A running file source. */
export interface FileSource {
  /** Objects that serve, sorted by kind, namespace and name; origins are those of the last read. */
  objects(): readonly ConfigObject[];
  /** What is set aside now, by file and line. */
  problems(): readonly SourceProblem[];
  /** What was said about documents that serve. */
  warnings(): readonly SchemaProblem[];
  /** Whether events came whose files were not left alone long enough to be read. */
  stirred(): boolean;
  /** Looks at all files now. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads all files below a directory and follows their changes. Resolves when
 * the first round is done and `onChange` was called for it.
 *
 * A broken document is set aside and the last good version of its object that
 * came from the same file keeps serving; so does everything when the directory
 * vanishes or a file cannot be read.
 *
 * @throws {MeshError} `config-dir` when the directory cannot be read at the start.
 */
export async function startFileSource(options: FileSourceOptions): Promise<FileSource> {
  const { dir, onChange, io = diskIo, limits = DEFAULT_YAML_LIMITS } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const ledger = createLedger();
  const notices = createNotices();
  const hints = createHints();
  const reader = createReader({
    dir,
    io,
    limits,
    settleMs: timing.quiet,
    deadlineMs: options.deadlineMs ?? READ_DEADLINE_MS,
    onLate(file) {
      hints.add(file);
      pulse?.poke();
    },
  });
  let pulse: Pulse | undefined;
  let rootProblem: SourceProblem | undefined;

  const problems = () => rootProblem ? [rootProblem, ...ledger.problems()] : ledger.problems();
  /** Whether events name all that changes; false until the directory was looked through. */
  let named = false;
  const round = async (first: boolean, at: number, hints?: ReadonlySet<string>) => {
    let rejected = 0;
    try {
      const seen = named && hints !== undefined
        ? await applyHints(hints, reader, ledger)
        : undefined;
      if (seen !== undefined) {
        rejected = seen;
      } else {
        const listing = await reader.list();
        rootProblem = undefined;
        named = listing?.linked === false;
        if (listing !== undefined) rejected = await applyListing(listing, reader, ledger, first);
      }
    } catch (error) {
      if (first) throw cannotRead(dir, error);
      named = false;
      rootProblem = directoryProblem(dir, error, ledger.objects().length > 0);
    }
    const changes = ledger.settle();
    notices.tell(problems(), ledger.warnings());
    countRejected(rejected, ledger.setAside());
    if (changes.upserts.length + changes.deletes.length > 0) onChange(changes, at);
  };

  await round(true, performance.now());
  /** When the last event came that is not done with. */
  let stirred: number | undefined;
  const watch = watchTree(dir, io, (path) => {
    hints.add(path);
    stirred = performance.now();
    pulse?.poke();
  });
  const running = pulse = startPulse(async () => {
    await watch.refresh();
    const event = stirred;
    await round(false, event ?? performance.now(), hints.take());
    const later = reader.putOff();
    for (const path of later) hints.add(path === "" ? undefined : path);
    if (later.size > 0) running.poke();
    else if (stirred === event) stirred = undefined;
  }, timing);
  // Opening the watch starts a round, which sees what changed since the first one.
  await watch.refresh();
  return {
    objects: () => ledger.objects(),
    problems,
    warnings: () => ledger.warnings(),
    stirred: () => stirred !== undefined,
    rescan() {
      hints.add(undefined);
      return running.run();
    },
    async close() {
      await running.close();
      watch.close();
    },
  };
}

/** A disk that is this slow has more than one file's edits waiting. */
const READ_DEADLINE_MS = 2_000;

/** Reading one by one left the processor idle for a quarter of a start with 1,750 files. */
const READS_AT_ONCE = 16;

/** Brings the ledger up to what the directory holds. Returns how many documents were set aside anew. */
async function applyListing(
  listing: Listing,
  reader: FileReader,
  ledger: Ledger,
  first: boolean,
): Promise<number> {
  let rejected = 0;
  for (const file of ledger.files()) {
    if (listing.files.has(file) || isOutOfSight(file, listing)) continue;
    ledger.drop(file);
    reader.forget(file);
  }
  const refuse = (file: string, code: string, message: string) => {
    reader.forget(file);
    rejected += ledger.refuse(file, fileProblem(file, code, message, "Make it readable."));
  };
  for (const [path, why] of listing.unreadable) refuse(path, "file-unreadable", why);
  for (const path of listing.irregular) refuse(path, "file-irregular", "not a regular file");
  const read = ([file, stamp]: readonly [string, FileStamp]) => reader.read(file, stamp, first);
  for await (const [[file], outcome] of ahead(listing.files, READS_AT_ONCE, read)) {
    if (outcome?.problem !== undefined) rejected += ledger.refuse(file, outcome.problem);
    if (outcome?.documents !== undefined) rejected += ledger.put(file, outcome.documents);
  }
  return rejected;
}

/** Whether a file may still be there, in a directory that cannot be looked into. */
function isOutOfSight(file: string, listing: Listing): boolean {
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
  const remedy = "Bring it back; until then what it held last keeps serving.";
  return { ...fileProblem(dir, "config-dir", message, remedy), lastGoodServes };
}
