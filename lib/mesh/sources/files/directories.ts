/**
 * Source of configuration objects: several directories, of which earlier ones precede later ones.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import type { ObjectChanges } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { SchemaProblem } from "../../schema/mod.ts";
import type { SourceProblem } from "./source_problem.ts";
import { fileProblem } from "./read_documents.ts";
import {
  type FileSource,
  type FileSourceOptions,
  type ObjectIntake,
  startFileSource,
} from "./file_source.ts";
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
  const arrangement = new Arrangement(options);
  await arrangement.start(options.dirs);
  return {
    objects: () => arrangement.objects(),
    problems: () => arrangement.problems(),
    warnings: () => arrangement.all((source) => source.warnings()),
    follow: (dirs) => arrangement.follow(dirs),
    close: () => arrangement.close(),
  };
}

/** The sources of the directories, in their order, with the merge of their objects. */
class Arrangement {
  readonly #options: DirectoriesOptions;
  readonly #health: SourcesHealth;
  readonly #opened = new Map<string, FileSource>();
  /** Directories that could not be opened. */
  readonly #unopened = new Map<string, SourceProblem>();
  /** Made when there is a second directory: the index of a single one is enough. */
  #merge: Merge | undefined;
  #order: readonly string[] = [];
  /** Directories are opened or dropped: merged changes are reported at the end. */
  #arranging = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends when no arrangement is in progress. */
  #turn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: DirectoriesOptions) {
    this.#options = options;
    this.#health = new SourcesHealth(options.intake);
  }

  /** Opens the first directories; throws if one cannot be read. */
  async start(dirs: readonly string[]): Promise<void> {
    try {
      await this.#arrange([...new Set(dirs)], true);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  follow(wanted: readonly string[]): Promise<void> {
    return this.#turn = this.#turn.then(() => this.#arrange([...new Set(wanted)], false));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#turn;
    for (const source of this.#opened.values()) await source.close();
  }

  objects(): readonly ConfigObject[] {
    return this.#merge?.objects() ?? this.all((source) => source.objects());
  }

  problems(): readonly SourceProblem[] {
    return [
      ...this.all((source) => source.problems()),
      ...this.#unopened.values(),
      ...this.#merge?.conflicts(this.#order) ?? [],
    ];
  }

  /** The items of all directories, in the order of the directories. */
  all<T>(of: (source: FileSource) => readonly T[]): T[] {
    return this.#order.flatMap((dir) => {
      const source = this.#opened.get(dir);
      return source === undefined ? [] : [...of(source)];
    });
  }

  async #arrange(wanted: readonly string[], first: boolean): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    for (const dir of this.#unopened.keys()) this.#health.setFault(dir, undefined);
    this.#unopened.clear();
    if (this.#merge === undefined && (wanted.length !== 1 || this.#opened.size > 0)) {
      this.#merge = createMerge();
      for (const [dir, source] of this.#opened) this.#merge.begin(dir, source.objects());
    }
    this.#order = wanted;
    this.#arranging = true;
    try {
      for (const dir of [...this.#opened.keys()]) if (!wanted.includes(dir)) await this.#drop(dir);
      for (const dir of wanted) if (!this.#opened.has(dir)) await this.#open(dir, first);
    } finally {
      this.#arranging = false;
    }
    this.#reportMerged(performance.now());
    const { retryMs = RETRY_MS } = this.#options;
    if (this.#unopened.size === 0) return;
    this.#timer = setTimeout(() => void this.follow(this.#order), retryMs);
  }

  /** Opens a directory. Later than at the start, a directory that cannot be read is a problem. */
  async #open(dir: string, first: boolean): Promise<void> {
    try {
      await this.#openSource(dir);
      this.#health.setFault(dir, undefined);
    } catch (error) {
      if (first || !(error instanceof MeshError)) throw error;
      const { code, message, remedy } = error;
      const problem = fileProblem(dir, code, message, remedy ?? "");
      this.#unopened.set(dir, { ...problem, lastGoodServes: false });
      this.#health.setFault(dir, message);
    }
  }

  async #openSource(dir: string): Promise<void> {
    const { intake: _, dirs: _dirs, retryMs: _retryMs, home, ...each } = this.#options;
    const source = await startFileSource({
      ...each,
      dir,
      intake: {
        expecting: (more) => this.#health.setExpecting(dir, more),
        health: (fault) => this.#health.setFault(dir, fault),
        objects: (changes, at = performance.now()) => this.#take(dir, changes, at),
      },
    });
    this.#opened.set(dir, dir === home ? source : sourceWithWholePaths(dir, source));
  }

  async #drop(dir: string): Promise<void> {
    await this.#opened.get(dir)?.close();
    this.#opened.delete(dir);
    this.#health.setFault(dir, undefined);
    this.#merge?.drop(dir);
  }

  /** Takes the changes of one directory. */
  #take(dir: string, { upserts, deletes }: ObjectChanges, at: number): void {
    const isHome = dir === this.#options.home;
    const named = isHome ? upserts : upserts.map((one) => withWholePath(dir, one));
    const changes = { upserts: named, deletes };
    if (this.#merge === undefined) return this.#report(changes, at);
    this.#merge.add(dir, changes);
    this.#reportMerged(at);
  }

  #reportMerged(at: number): void {
    if (this.#merge === undefined || this.#arranging) return;
    this.#report(this.#merge.takeChanges(this.#order), at);
  }

  #report(changes: ObjectChanges, at: number): void {
    if (changes.upserts.length + changes.deletes.length === 0) return;
    this.#options.intake.objects(changes, at);
  }
}

/** The states of several directories, reported to one intake. */
class SourcesHealth {
  readonly #intake: ObjectIntake;
  readonly #faults = new Map<string, string>();
  readonly #expecting = new Set<string>();

  constructor(intake: ObjectIntake) {
    this.#intake = intake;
  }

  setFault(dir: string, fault: string | undefined): void {
    if (fault === undefined) this.#faults.delete(dir);
    else this.#faults.set(dir, fault);
    this.#intake.health([...this.#faults].map(([dir, fault]) => `${dir}: ${fault}`)[0]);
  }

  setExpecting(dir: string, more: boolean): void {
    if (more) this.#expecting.add(dir);
    else this.#expecting.delete(dir);
    this.#intake.expecting(this.#expecting.size > 0);
  }
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
