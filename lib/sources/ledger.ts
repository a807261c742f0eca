/**
 * What each file holds, who wins where two hold the same object, and what
 * changed. Knows nothing of disks and clocks.
 *
 * @module
 */
import type { ConfigObject } from "../model/mod.ts";
import {
  KINDS,
  type ObjectIdentity,
  type ParsedDocument,
  type ParsedObject,
  type SchemaProblem,
} from "../schema/mod.ts";
import { nearest } from "../text/mod.ts";

/** Objects that came, changed and went since the last settlement. */
export interface ChangeSet {
  readonly upserts: readonly ConfigObject[];
  readonly deletes: readonly ObjectIdentity[];
}

/** Why a document or file is set aside. */
export interface SourceProblem extends SchemaProblem {
  /** Whether an earlier, good version keeps serving. */
  readonly lastGoodServes: boolean;
}

/** An object as a file holds it, now or since it was last good. */
interface Held {
  readonly key: string;
  readonly object: ParsedObject;
  /** Line where it stands now, or its broken version does. */
  readonly line: number;
}

interface FileEntry {
  readonly held: readonly Held[];
  /** The same by key, those of one key by line. */
  readonly byKey: ReadonlyMap<string, readonly Held[]>;
  readonly problems: readonly SourceProblem[];
  readonly warnings: readonly SchemaProblem[];
  readonly setAside: number;
}

/** The books of a file source. */
export interface Ledger {
  /** A file was read. Returns how many of its documents are set aside. */
  put(file: string, documents: readonly ParsedDocument[]): number;
  /** A file could not be read: what it held last keeps serving. Returns 1 when that is news, else 0. */
  refuse(file: string, problem: SchemaProblem): number;
  /** A file is gone. */
  drop(file: string): void;
  /** Files known. */
  files(): string[];
  /** Decides between files and tells what changed since the last call. */
  settle(): ChangeSet;
  /** Objects that serve, by kind, namespace and name. */
  objects(): ConfigObject[];
  /** By file and line. */
  problems(): SourceProblem[];
  warnings(): SchemaProblem[];
  /** Documents and files that are set aside now. */
  setAside(): number;
}

/** Empty books. */
export function createLedger(): Ledger {
  const files = new Map<string, FileEntry>();
  /** Those of them that there is something to say about: asked for after each edit, of thousands. */
  const noted = new Map<string, FileEntry>();
  /** Files that hold an object of this key. */
  const holders = new Map<string, Set<string>>();
  const serving = new Map<string, ConfigObject>();
  const conflicts = new Map<string, SourceProblem[]>();
  const touched = new Set<string>();

  const replace = (file: string, entry: FileEntry | undefined) => {
    for (const { key } of files.get(file)?.held ?? []) {
      touched.add(key);
      holders.get(key)?.delete(file);
    }
    if (entry === undefined) files.delete(file);
    else files.set(file, entry);
    if (entry !== undefined && isNoted(entry)) noted.set(file, entry);
    else noted.delete(file);
    for (const { key } of entry?.held ?? []) {
      touched.add(key);
      const set = holders.get(key) ?? new Set();
      holders.set(key, set.add(file));
    }
  };

  /** All claims to a key, the winner first. */
  const claims = (key: string): Claim[] =>
    [...holders.get(key) ?? []].sort().flatMap((file) =>
      (files.get(file)?.byKey.get(key) ?? []).map((held) => ({ ...held, file }))
    );

  return {
    put(file, documents) {
      const entry = readEntry(documents, files.get(file)?.held ?? []);
      replace(file, entry);
      return entry.setAside;
    },
    refuse(file, problem) {
      const { held = [], problems: [known] = [] } = files.get(file) ?? {};
      if (known?.code === problem.code && known.message === problem.message) return 0;
      const lastGoodServes = held.length > 0 || holdsBelow(files, file);
      const problems = [{ ...problem, lastGoodServes }];
      replace(file, { held, byKey: byKey(held), problems, warnings: [], setAside: 1 });
      return 1;
    },
    drop: (file) => replace(file, undefined),
    files: () => [...files.keys()],
    settle() {
      const upserts: ConfigObject[] = [];
      const deletes: ObjectIdentity[] = [];
      for (const key of [...touched].sort()) {
        const [winner, ...losers] = claims(key);
        const before = serving.get(key);
        if (winner === undefined) {
          holders.delete(key);
          serving.delete(key);
          conflicts.delete(key);
          if (before) deletes.push(identityOf(before));
          continue;
        }
        if (losers.length === 0) conflicts.delete(key);
        else conflicts.set(key, losers.map((loser) => conflict(winner, loser)));
        const next = toConfigObject(winner, before);
        serving.set(key, next);
        if (next.meta.generation !== before?.meta.generation) upserts.push(next);
      }
      touched.clear();
      return { upserts, deletes };
    },
    objects: () => [...serving.keys()].sort().map((key) => serving.get(key)!),
    problems: () =>
      [...[...noted.values()].flatMap((entry) => entry.problems), ...[...conflicts.values()].flat()]
        .sort(byPlace),
    warnings: () => [...noted.values()].flatMap((entry) => entry.warnings).sort(byPlace),
    setAside() {
      let count = 0;
      for (const entry of noted.values()) count += entry.setAside;
      for (const problems of conflicts.values()) count += problems.length;
      return count;
    },
  };
}

/** Whether a file's entry says anything beside what it holds. */
function isNoted({ problems, warnings, setAside }: FileEntry): boolean {
  return problems.length > 0 || warnings.length > 0 || setAside > 0;
}

/** Whether a path is a directory with files that hold something. */
function holdsBelow(files: ReadonlyMap<string, FileEntry>, path: string): boolean {
  for (const [file, { held }] of files) {
    if (held.length > 0 && file.startsWith(`${path}/`)) return true;
  }
  return false;
}

type Claim = Held & { readonly file: string };

function keyOf({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind}/${namespace}/${name}`;
}

function identityOf({ meta: { kind, namespace, name } }: ConfigObject): ObjectIdentity {
  return { kind, namespace, name };
}

function byPlace(a: SchemaProblem, b: SchemaProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** What a file holds after a read: its good documents, and for the others what was good before. */
function readEntry(documents: readonly ParsedDocument[], before: readonly Held[]): FileEntry {
  const held: Held[] = [];
  const found = new Set<string>();
  for (const { object, line } of documents) {
    if (object === undefined) continue;
    const { namespace, name } = object.meta;
    const key = keyOf({ kind: object.kind, namespace, name });
    found.add(key);
    held.push({ key, object, line });
  }
  const last = new Map(before.filter(({ key }) => !found.has(key)).map((one) => [one.key, one]));
  const problems: SourceProblem[] = [];
  let setAside = 0;
  for (const document of documents) {
    if (document.object !== undefined) continue;
    setAside++;
    const kept = keptFor(document, last);
    for (const one of kept) {
      last.delete(one.key);
      held.push(document.anonymous ? one : { ...one, line: document.line });
    }
    const lastGoodServes = kept.length > 0;
    problems.push(...document.problems.map((problem) => ({ ...problem, lastGoodServes })));
  }
  const warnings = documents.flatMap((one) => one.warnings);
  return { held, byKey: byKey(held), problems, warnings, setAside };
}

function byKey(held: readonly Held[]): Map<string, Held[]> {
  const sorted = [...held].sort((a, b) => a.line - b.line);
  return Map.groupBy(sorted, ({ key }) => key);
}

/** Which last good objects a broken document may stand for. */
function keptFor(document: ParsedDocument, last: ReadonlyMap<string, Held>): Held[] {
  if (document.anonymous) return [...last.values()];
  const { identity } = document;
  if (identity === undefined) return [];
  const same = last.get(keyOf(identity));
  if (same !== undefined) return [same];
  // A misspelt kind: the object of the kind that was meant.
  if (KINDS.some(({ kind }) => kind === identity.kind)) return [];
  const kind = nearest(identity.kind, KINDS.map((one) => one.kind));
  const meant = kind === undefined ? undefined : last.get(keyOf({ ...identity, kind }));
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

function conflict(winner: Claim, loser: Claim): SourceProblem {
  const { kind, meta: { namespace, name } } = loser.object;
  const place = `${winner.file}:${winner.line}`;
  return {
    file: loser.file,
    line: loser.line,
    column: 1,
    path: "metadata.name",
    code: "duplicate-object",
    message: `${kind} ${namespace}/${name} is already defined at ${place}`,
    remedy: `Rename or remove it here (${loser.file}:${loser.line}) or at ${place}.`,
    object: { kind, namespace, name },
    lastGoodServes: false,
  };
}
