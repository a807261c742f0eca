/**
 * Configuration objects from several directories, of which the earlier goes before the later.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { type ConfigObject } from "../model/mod.ts";
import type { SchemaProblem } from "../schema/mod.ts";
import { fileProblem } from "./file_reader.ts";
import { type FileSource, type FileSourceOptions, startFileSource } from "./file_source.ts";
import { createJoin, type Join } from "./join.ts";
import type { ChangeSet, SourceProblem } from "./ledger.ts";

/** A directory that could not be opened is tried again after so long, ms. */
const RETRY_MS = 5_000;

/** What following directories needs; the rest is that of each of them. */
export interface DirectoriesOptions extends Omit<FileSourceOptions, "dir"> {
  /** Absolute paths, the one that goes before the others first. */
  readonly dirs: readonly string[];
  /** The one whose files are named by their paths within it; those of others are by their whole paths. */
  readonly home?: string | undefined;
  /** For tests. */
  readonly retryMs?: number;
}

/** Directories that are followed. */
export interface Directories extends Pick<FileSource, "objects" | "stirred" | "close"> {
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  /**
   * Follows other directories from now on. What can not be opened is a problem, and tried again;
   * objects of a directory that is left out go. Resolves when it was tried once.
   */
  follow(dirs: readonly string[]): Promise<void>;
}

/**
 * Reads all files below directories and follows their changes, as {@linkcode startFileSource} does
 * for one. Where two hold the same object, that of the earlier serves.
 *
 * @throws {MeshError} `config-dir` when one cannot be read at the start
 */
export async function startDirectories(options: DirectoriesOptions): Promise<Directories> {
  const { onChange, dirs, home, retryMs = RETRY_MS, ...each } = options;
  const opened = new Map<string, FileSource>();
  const unopened = new Map<string, SourceProblem>();
  /** Books are kept once there are two: one directory's own are enough for it. */
  let join: Join | undefined;
  let order: readonly string[] = [];
  let gathering = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = Promise.resolve();
  let closed = false;

  const tell = (changes: ChangeSet, at: number): void => {
    if (changes.upserts.length + changes.deletes.length > 0) onChange(changes, at);
  };
  const settle = (): void => {
    if (join !== undefined && !gathering) tell(join.settle(order), performance.now());
  };
  const open = async (dir: string): Promise<void> => {
    const source = await startFileSource({
      ...each,
      dir,
      onChange: (found, at) => {
        const changes = {
          ...found,
          upserts: dir === home ? found.upserts : found.upserts.map((one) => placed(dir, one)),
        };
        if (join === undefined) return tell(changes, at);
        join.note(dir, changes);
        if (!gathering) tell(join.settle(order), at);
      },
    });
    opened.set(dir, dir === home ? source : placedSource(dir, source));
  };
  const drop = async (dir: string): Promise<void> => {
    await opened.get(dir)?.close();
    opened.delete(dir);
    join?.drop(dir);
  };
  const arrange = async (wanted: readonly string[], first: boolean): Promise<void> => {
    if (closed) return;
    clearTimeout(timer);
    unopened.clear();
    if (join === undefined && (wanted.length !== 1 || opened.size > 0)) {
      join = createJoin();
      for (const [dir, source] of opened) join.begin(dir, source.objects());
    }
    order = wanted;
    gathering = true;
    try {
      for (const dir of [...opened.keys()]) if (!wanted.includes(dir)) await drop(dir);
      for (const dir of wanted) {
        if (!opened.has(dir)) {
          await open(dir).catch((error) => {
            if (first || !(error instanceof MeshError)) throw error;
            const { code, message, remedy } = error;
            const problem = fileProblem(dir, code, message, remedy ?? "");
            unopened.set(dir, { ...problem, lastGoodServes: false });
          });
        }
      }
    } finally {
      gathering = false;
    }
    settle();
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
    objects: (): readonly ConfigObject[] => join?.objects() ?? all((source) => source.objects()),
    stirred: () => [...opened.values()].some((source) => source.stirred()),
    problems: () => [
      ...all((source) => source.problems()),
      ...unopened.values(),
      ...join?.conflicts(order) ?? [],
    ],
    warnings: () => all((source) => source.warnings()),
    follow,
    close,
  };
}

/** An object whose place is told by the whole path of its file. */
function placed(dir: string, object: ConfigObject): ConfigObject {
  const { origin } = object.meta;
  return {
    ...object,
    meta: { ...object.meta, origin: { ...origin, file: `${dir}/${origin.file}` } },
  };
}

function placedSource(dir: string, source: FileSource): FileSource {
  const whole = <T extends SchemaProblem>(problems: readonly T[]): T[] =>
    problems.map((one) => one.file === dir ? one : { ...one, file: `${dir}/${one.file}` });
  return {
    ...source,
    objects: () => source.objects().map((one) => placed(dir, one)),
    problems: () => whole(source.problems()),
    warnings: () => whole(source.warnings()),
  };
}
