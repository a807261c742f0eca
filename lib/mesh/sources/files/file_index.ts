/**
 * Index of the objects in the files of a directory: which file an object is used from, when several
 * have it, and what changed. Without disk and clock.
 *
 * @module
 */
import type { ObjectChanges } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import {
  KINDS,
  type ObjectIdentity,
  type ParsedDocument,
  type ParsedObject,
  type SchemaProblem,
} from "../../schema/mod.ts";
import { nearest } from "../../../kit/text/mod.ts";
import { duplicate, idOf } from "./duplicates.ts";
import type { SourceProblem } from "./source_problem.ts";

/** An object of a file: its version now, or its last good version. */
interface Held {
  readonly key: string;
  readonly object: ParsedObject;
  /** Line of the object now, or of its rejected version. */
  readonly line: number;
}

interface FileEntry {
  readonly held: readonly Held[];
  /** The same by key, those of one key by line. */
  readonly byKey: ReadonlyMap<string, readonly Held[]>;
  readonly problems: readonly SourceProblem[];
  readonly warnings: readonly SchemaProblem[];
  /** Number of rejected documents. */
  readonly rejected: number;
}

/** The index of a file source. */
export interface FileIndex {
  /** Sets the documents of a file. Returns the number of rejected ones. */
  put(file: string, documents: readonly ParsedDocument[]): number;
  /**
   * Rejects a file that could not be read: its last objects stay in use. Returns 1 when the problem
   * is new, otherwise 0.
   */
  refuse(file: string, problem: SchemaProblem): number;
  /** Removes a file. */
  drop(file: string): void;
  /** Known files. */
  files(): string[];
  /** Decides between files; returns the changes since the last call. */
  takeChanges(): ObjectChanges;
  /** Objects in use, sorted by kind, namespace and name. */
  objects(): ConfigObject[];
  /** Sorted by file and line. */
  problems(): SourceProblem[];
  warnings(): SchemaProblem[];
  /** Number of documents and files that are rejected now. */
  rejected(): number;
}

/** Creates an empty index. */
export function createFileIndex(): FileIndex {
  return new Index();
}

class Index implements FileIndex {
  readonly #files = new Map<string, FileEntry>();
  /** Those of them with problems or warnings, which are read after each edit. */
  readonly #noted = new Map<string, FileEntry>();
  /** Files that have an object of this key. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #used = new Map<string, ConfigObject>();
  readonly #conflicts = new Map<string, SourceProblem[]>();
  readonly #touched = new Set<string>();

  put(file: string, documents: readonly ParsedDocument[]): number {
    const entry = readEntry(documents, this.#files.get(file)?.held ?? []);
    this.#replace(file, entry);
    return entry.rejected;
  }

  refuse(file: string, problem: SchemaProblem): number {
    const { held = [], problems: [known] = [] } = this.#files.get(file) ?? {};
    if (known?.code === problem.code && known.message === problem.message) return 0;
    const lastGoodServes = held.length > 0 || holdsBelow(this.#files, file);
    const problems = [{ ...problem, lastGoodServes }];
    this.#replace(file, { held, byKey: byKey(held), problems, warnings: [], rejected: 1 });
    return 1;
  }

  drop(file: string): void {
    this.#replace(file, undefined);
  }

  files(): string[] {
    return [...this.#files.keys()];
  }

  takeChanges(): ObjectChanges {
    const upserts: ConfigObject[] = [];
    const deletes: ObjectIdentity[] = [];
    for (const key of [...this.#touched].sort()) {
      const [winner, ...losers] = this.#claims(key);
      const before = this.#used.get(key);
      if (winner === undefined) {
        this.#holders.delete(key);
        this.#used.delete(key);
        this.#conflicts.delete(key);
        if (before) deletes.push(identityOf(before));
        continue;
      }
      if (losers.length === 0) this.#conflicts.delete(key);
      else this.#conflicts.set(key, losers.map((loser) => conflict(winner, loser)));
      const next = toConfigObject(winner, before);
      this.#used.set(key, next);
      if (next.meta.generation !== before?.meta.generation) upserts.push(next);
    }
    this.#touched.clear();
    return { upserts, deletes };
  }

  objects(): ConfigObject[] {
    return [...this.#used.keys()].sort().map((key) => this.#used.get(key)!);
  }

  problems(): SourceProblem[] {
    const ofFiles = [...this.#noted.values()].flatMap((entry) => entry.problems);
    return [...ofFiles, ...[...this.#conflicts.values()].flat()].sort(byPosition);
  }

  warnings(): SchemaProblem[] {
    return [...this.#noted.values()].flatMap((entry) => entry.warnings).sort(byPosition);
  }

  rejected(): number {
    let count = 0;
    for (const entry of this.#noted.values()) count += entry.rejected;
    for (const problems of this.#conflicts.values()) count += problems.length;
    return count;
  }

  #replace(file: string, entry: FileEntry | undefined): void {
    for (const { key } of this.#files.get(file)?.held ?? []) {
      this.#touched.add(key);
      this.#holders.get(key)?.delete(file);
    }
    if (entry === undefined) this.#files.delete(file);
    else this.#files.set(file, entry);
    if (entry !== undefined && isNoted(entry)) this.#noted.set(file, entry);
    else this.#noted.delete(file);
    for (const { key } of entry?.held ?? []) {
      this.#touched.add(key);
      const set = this.#holders.get(key) ?? new Set();
      this.#holders.set(key, set.add(file));
    }
  }

  /** The versions of an object in all files, the one in use first. */
  #claims(key: string): Claim[] {
    return [...this.#holders.get(key) ?? []].sort().flatMap((file) =>
      (this.#files.get(file)?.byKey.get(key) ?? []).map((held) => ({ ...held, file }))
    );
  }
}

/** True for a file with problems or warnings. */
function isNoted({ problems, warnings, rejected }: FileEntry): boolean {
  return problems.length > 0 || warnings.length > 0 || rejected > 0;
}

/** True when a path is a directory with files that have objects. */
function holdsBelow(files: ReadonlyMap<string, FileEntry>, path: string): boolean {
  for (const [file, { held }] of files) {
    if (held.length > 0 && file.startsWith(`${path}/`)) return true;
  }
  return false;
}

type Claim = Held & { readonly file: string };

function identityOf({ meta: { kind, namespace, name } }: ConfigObject): ObjectIdentity {
  return { kind, namespace, name };
}

function byPosition(a: SchemaProblem, b: SchemaProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** The objects of a file after a read: its good documents, and the last good versions of the others. */
function readEntry(documents: readonly ParsedDocument[], before: readonly Held[]): FileEntry {
  const held: Held[] = [];
  const found = new Set<string>();
  for (const { object, line } of documents) {
    if (object === undefined) continue;
    const { namespace, name } = object.meta;
    const key = idOf({ kind: object.kind, namespace, name });
    found.add(key);
    held.push({ key, object, line });
  }
  const last = new Map(before.filter(({ key }) => !found.has(key)).map((one) => [one.key, one]));
  const problems: SourceProblem[] = [];
  let rejected = 0;
  for (const document of documents) {
    // An ignored object has neither.
    if (document.object !== undefined || document.problems.length === 0) continue;
    rejected++;
    const kept = keptFor(document, last);
    for (const one of kept) {
      last.delete(one.key);
      held.push(document.anonymous ? one : { ...one, line: document.line });
    }
    const lastGoodServes = kept.length > 0;
    problems.push(...document.problems.map((problem) => ({ ...problem, lastGoodServes })));
  }
  const warnings = documents.flatMap((one) => one.warnings);
  return { held, byKey: byKey(held), problems, warnings, rejected };
}

function byKey(held: readonly Held[]): Map<string, Held[]> {
  const sorted = [...held].sort((a, b) => a.line - b.line);
  return Map.groupBy(sorted, ({ key }) => key);
}

/** The last good objects that a rejected document may be a new version of. */
function keptFor(document: ParsedDocument, last: ReadonlyMap<string, Held>): Held[] {
  if (document.anonymous) return [...last.values()];
  const { identity } = document;
  if (identity === undefined) return [];
  const same = last.get(idOf(identity));
  if (same !== undefined) return [same];
  // A misspelt kind: the object of the nearest kind.
  if (KINDS.some(({ kind }) => kind === identity.kind)) return [];
  const kind = nearest(identity.kind, KINDS.map((one) => one.kind));
  const meant = kind === undefined ? undefined : last.get(idOf({ ...identity, kind }));
  return meant === undefined ? [] : [meant];
}

function toConfigObject(claim: Claim, before: ConfigObject | undefined): ConfigObject {
  const { kind, spec, digest, meta: { line: _, ...meta } } = claim.object;
  const same = before !== undefined && before.digest === digest &&
    before.meta.creationTime === meta.creationTime;
  const generation = (before?.meta.generation ?? 0) + (same ? 0 : 1);
  const origin = { source: "file", file: claim.file, line: claim.line };
  return { meta: { kind, ...meta, generation, origin }, spec, digest };
}

function conflict(used: Claim, { object: { kind, meta }, ...position }: Claim): SourceProblem {
  return duplicate({ kind, namespace: meta.namespace, name: meta.name }, position, used);
}
