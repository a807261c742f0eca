/**
 * Collections: named resources of many members. Only members that may have changed are checked.
 * `settle.ts` brings collections up to date.
 *
 * @module
 */
import type { CellRef, Collection, LogEntry, Resource } from "../api/collections.ts";
import type { GraphOptions } from "../api/graph.ts";
import { Cell, type Core, Home, markCell, pushReaders, STALE } from "../cells/mod.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import { ChangeLog, type LogBytes } from "./change_log.ts";
import { Claims } from "./claims.ts";
import type { AnySpec, Recipe } from "./recipe.ts";

/** Log entries kept per collection when the options do not say. */
const DEFAULT_LOG_LIMIT = 4096;
/** Bytes of all logs together when the options do not say. */
const DEFAULT_LOG_BYTES = 32 * 1024 * 1024;

/** A piece of building a collection, limited in time. */
export interface BuildStep {
  readonly collection: LiveCollection;
  /** Reports if time is up; asked after every member. */
  readonly late: () => boolean;
  /** True while edits wait for a publication: collections with readers must not change. */
  readonly ahead: boolean;
  /** Collections that wait for this one, including itself. */
  readonly waiting: readonly LiveCollection[];
  /** Set when the next member reads a collection that must be brought up to date first. */
  blocked: LiveCollection | undefined;
}

/** The collections of one graph. */
export class CollectionStore {
  readonly byName: Map<string, LiveCollection> = new Map();
  /** Collections that are out of date. */
  readonly stale: Set<LiveCollection> = new Set();
  /** Collections changed since the last publication. */
  changed: Set<LiveCollection> = new Set();
  /** Collections without users, the least recently used first. */
  readonly orphans: Set<LiveCollection> = new Set();
  /** True if collections are being built in pieces. */
  preparing = false;
  /** The piece that is being built. */
  step: BuildStep | undefined = undefined;
  readonly logLimit: number;
  readonly logBytes: number;
  /** Bytes that the logs of all collections hold. */
  readonly logged: LogBytes = { bytes: 0 };
  /** Number of the next collection, for the identity of views. */
  #next = 1;

  constructor({ logLimit, logBytes }: GraphOptions) {
    this.logLimit = Math.max(0, logLimit ?? DEFAULT_LOG_LIMIT);
    this.logBytes = Math.max(0, logBytes ?? DEFAULT_LOG_BYTES);
  }

  nextId(): number {
    return this.#next++;
  }
}

/** Options of a collection: its declaration, and the engine's own tables. */
export interface CollectionOptions {
  readonly name: string;
  readonly spec: AnySpec;
  readonly recipe: Recipe;
}

/** A collection. Built at first use or, in pieces, before it; eviction removes its content again. */
export class LiveCollection extends Home implements Collection {
  readonly kind = "collection";
  readonly name: string;
  readonly spec: AnySpec;
  readonly recipe: Recipe;
  readonly id: number;
  /** The cell for readers of the whole content. */
  readonly cell: Cell;
  readonly memberHome: MemberHome;
  built = false;
  /** True if building has begun: from then on changes make members stale. */
  begun = false;
  users = 0;
  claims: Claims = new Claims();
  readonly log: ChangeLog;
  /** Counts builds and changes; caches compare it. */
  stamp = 0;
  /** The members taken from a list, or the buckets watched. */
  sources: ReadonlySet<string> = new Set();
  /** The derived value that {@link sources} was made of. */
  taken: unknown = undefined;
  /** Member → how many sources name it. */
  readonly counts: Map<string, number> = new Map();
  /** Member → its cell. The value is its resources, the one dependency the cell they come from. */
  readonly members: Map<string, Cell> = new Map();
  /** Members that may have come, gone or changed. */
  readonly staleMembers: Set<string> = new Set();
  /** Ids of the views that have it as a layer, to drop them with it. */
  readonly viewIds: Set<string> = new Set();

  constructor(
    readonly engine: Core,
    readonly store: CollectionStore,
    { name, spec, recipe }: CollectionOptions,
  ) {
    super();
    this.name = name;
    this.spec = spec;
    this.recipe = recipe;
    this.id = store.nextId();
    this.cell = new Cell(this, "", STALE);
    this.memberHome = new MemberHome(this);
    this.log = new ChangeLog(store.logLimit, store.logged);
  }

  override marked(cell: Cell, stack: Cell[]): void {
    this.store.stale.add(this);
    pushReaders(stack, cell);
  }

  get(name: string): Resource | undefined {
    return this.current().claims.content.get(name);
  }

  get content(): ReadonlyMap<string, Resource> {
    return this.current().claims.content;
  }

  get size(): number {
    return this.current().claims.content.size;
  }

  get changedAt(): number {
    return this.current().cell.changedAt;
  }

  get conflicts(): ReadonlyMap<string, readonly string[]> {
    return this.current().claims.rivals;
  }

  cellOf(name: string): CellRef | undefined {
    const owner = this.current().claims.owners.get(name);
    const source = owner === undefined ? undefined : this.members.get(owner)?.deps[0];
    return source === undefined ? undefined : { table: source.home.name, key: source.key };
  }

  since(revision: number): readonly LogEntry[] | undefined {
    return this.current().log.since(revision);
  }

  retain(): void {
    this.users++;
    this.store.orphans.delete(this);
    if (!this.built) this.store.stale.add(this);
  }

  release(): void {
    if (this.users === 0) {
      throw new MeshError("graph-release", `${this.name} was released more often than retained.`, {
        remedy: "Release once for each retain.",
      });
    }
    this.users--;
    if (this.users === 0) this.store.orphans.add(this);
  }

  /** This collection, built. Later changes wait for the next publication. */
  current(): this {
    const { engine } = this;
    engine.untracked("collection", this.name);
    if (!this.built) {
      engine.pull(this.cell);
      engine.flush();
    }
    return this;
  }

  /** One source more (`1`) or less (`-1`) names a member. */
  shift(member: string, by: number): void {
    const had = this.counts.get(member) ?? 0;
    if (had + by === 0) this.counts.delete(member);
    else this.counts.set(member, had + by);
    if (had !== 0 && had + by !== 0) return;
    this.staleMembers.add(member);
    markCell(this.cell);
  }
}

/** The member cells of one collection. */
export class MemberHome extends Home {
  readonly kind = "member";
  readonly name: string;

  constructor(readonly collection: LiveCollection) {
    super();
    this.name = collection.name;
  }

  override marked(cell: Cell, stack: Cell[]): void {
    this.collection.staleMembers.add(cell.key);
    stack.push(this.collection.cell);
  }
}
