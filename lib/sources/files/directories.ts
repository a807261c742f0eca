/**
 * Source of configuration objects: several directories, of which earlier ones precede later ones.
 *
 * @module
 */
import { MeshError } from "../../base/mod.ts";
import type { ObjectChanges } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { SchemaProblem } from "../../schema/mod.ts";
import type { SourceProblem } from "./source_problem.ts";
import { fileProblem } from "./read_documents.ts";
import { type FileSource, type FileSourceOptions, startFileSource } from "./file_source.ts";
import { createMerge, type Merge } from "./merge.ts";

/** Milliseconds until a directory that could not be opened is tried again. */
const RETRY_MS = 5_000;

/** Settings; the rest are those of each file source. */
export interface DirectoriesOptions extends Omit<FileSourceOptions, "dir"> {
  /** Absolute paths; earlier ones precede later ones. */
  readonly dirs: readonly string[];
  /** The directory whose files are named by their paths within it; files of others by whole paths. */
  readonly home?: string | undefined;
  /** For tests. */
  readonly retryMs?: number;
}

/** Directories that are followed. */
export interface Directories extends Pick<FileSource, "objects" | "close"> {
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  /**
   * Follows other directories from now on. One that cannot be opened is a problem, and is tried
   * again; objects of a directory that is not in the list any more are deleted. Resolves when each
   * was tried once.
   */
  follow(dirs: readonly string[]): Promise<void>;
}

/**
 * Reads all files below directories and follows their changes, as {@linkcode startFileSource} does
 * for one. When two have the same object, that of the earlier directory is used.
 *
 * @throws {MeshError} `config-dir` when one cannot be read at the start
 */
export async function startDirectories(options: DirectoriesOptions): Promise<Directories> {
  const { intake, dirs, home, retryMs = RETRY_MS, ...each } = options;
  const opened = new Map<string, FileSource>();
  const unopened = new Map<string, SourceProblem>();
  const expecting = new Set<string>();
  const faults = new Map<string, string>();
  /** Made when there is a second directory: the index of a single one is enough. */
  let merge: Merge | undefined;
  let order: readonly string[] = [];
  let arranging = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = Promise.resolve();
  let closed = false;

  const report = (changes: ObjectChanges, at: number): void => {
    if (changes.upserts.length + changes.deletes.length > 0) intake.objects(changes, at);
  };
  const reportMerged = (at: number): void => {
    if (merge !== undefined && !arranging) report(merge.takeChanges(order), at);
  };
  const reportHealth = (): void =>
    intake.health([...faults].map(([dir, fault]) => `${dir}: ${fault}`)[0]);
  const setFault = (dir: string, fault: string | undefined): void => {
    if (fault === undefined) faults.delete(dir);
    else faults.set(dir, fault);
    reportHealth();
  };
  const setExpecting = (dir: string, more: boolean): void => {
    if (more) expecting.add(dir);
    else expecting.delete(dir);
    intake.expecting(expecting.size > 0);
  };
  const open = async (dir: string): Promise<void> => {
    const source = await startFileSource({
      ...each,
      dir,
      intake: {
        expecting: (more) => setExpecting(dir, more),
        health: (fault) => setFault(dir, fault),
        objects: ({ upserts, deletes }, at = performance.now()) => {
          const changes = {
            upserts: dir === home ? upserts : upserts.map((one) => withWholePath(dir, one)),
            deletes,
          };
          if (merge === undefined) return report(changes, at);
          merge.add(dir, changes);
          reportMerged(at);
        },
      },
    });
    opened.set(dir, dir === home ? source : sourceWithWholePaths(dir, source));
  };
  const drop = async (dir: string): Promise<void> => {
    await opened.get(dir)?.close();
    opened.delete(dir);
    setFault(dir, undefined);
    merge?.drop(dir);
  };
  const openOrKeepTrying = async (dir: string, first: boolean): Promise<void> => {
    try {
      await open(dir);
      setFault(dir, undefined);
    } catch (error) {
      if (first || !(error instanceof MeshError)) throw error;
      const { code, message, remedy } = error;
      const problem = fileProblem(dir, code, message, remedy ?? "");
      unopened.set(dir, { ...problem, lastGoodServes: false });
      setFault(dir, message);
    }
  };
  const arrange = async (wanted: readonly string[], first: boolean): Promise<void> => {
    if (closed) return;
    clearTimeout(timer);
    for (const dir of unopened.keys()) setFault(dir, undefined);
    unopened.clear();
    if (merge === undefined && (wanted.length !== 1 || opened.size > 0)) {
      merge = createMerge();
      for (const [dir, source] of opened) merge.begin(dir, source.objects());
    }
    order = wanted;
    arranging = true;
    try {
      for (const dir of [...opened.keys()]) if (!wanted.includes(dir)) await drop(dir);
      for (const dir of wanted) if (!opened.has(dir)) await openOrKeepTrying(dir, first);
    } finally {
      arranging = false;
    }
    reportMerged(performance.now());
    if (unopened.size > 0) timer = setTimeout(() => void follow(order), retryMs);
  };
  const follow = (wanted: readonly string[]): Promise<void> =>
    turn = turn.then(() => arrange([...new Set(wanted)], false));
  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(timer);
    await turn;
    for (const source of opened.values()) await source.close();
  };
  const all = <T>(of: (source: FileSource) => readonly T[]): T[] =>
    order.flatMap((dir) => {
      const source = opened.get(dir);
      return source === undefined ? [] : [...of(source)];
    });

  try {
    await arrange([...new Set(dirs)], true);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    objects: (): readonly ConfigObject[] => merge?.objects() ?? all((source) => source.objects()),
    problems: () => [
      ...all((source) => source.problems()),
      ...unopened.values(),
      ...merge?.conflicts(order) ?? [],
    ],
    warnings: () => all((source) => source.warnings()),
    follow,
    close,
  };
}

/** An object whose origin has the whole path of its file. */
function withWholePath(dir: string, object: ConfigObject): ConfigObject {
  const { origin } = object.meta;
  return {
    ...object,
    meta: { ...object.meta, origin: { ...origin, file: `${dir}/${origin.file}` } },
  };
}

function sourceWithWholePaths(dir: string, source: FileSource): FileSource {
  const whole = <T extends SchemaProblem>(problems: readonly T[]): T[] =>
    problems.map((one) => one.file === dir ? one : { ...one, file: `${dir}/${one.file}` });
  return {
    ...source,
    objects: () => source.objects().map((one) => withWholePath(dir, one)),
    problems: () => whole(source.problems()),
    warnings: () => whole(source.warnings()),
  };
}
