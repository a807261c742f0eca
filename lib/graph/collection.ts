/**
 * Collections: named resources of many members, of which only the suspects are
 * looked at. How they are brought up to date is in `settle.ts`.
 *
 * @module
 */
import type { CellRef, Collection, LogEntry, Resource } from "./api.ts";
import { Cell, STALE } from "./cell.ts";
import { Claims } from "./claims.ts";
import type { Engine } from "./engine.ts";
import type { MemberHome } from "./home.ts";
import { ChangeLog } from "./log.ts";
import { markCell } from "./mark.ts";
import type { AnySpec, Recipe } from "./recipe.ts";
import { MeshError } from "../base/mod.ts";

/** A collection. Built at first use or, little by little, before it; unbuilt again by eviction. */
export class LiveCollection implements Collection {
  readonly kind = "collection";
  readonly id: number;
  /** Stands for the content as a whole, for those who read all of it. */
  readonly cell: Cell;
  readonly memberHome: MemberHome;
  built = false;
  /** Whether building has begun: changes make suspects from then on. */
  begun = false;
  users = 0;
  claims: Claims = new Claims();
  readonly log: ChangeLog;
  /** Counts builds and changes: tells whether something remembered is still true. */
  stamp = 0;
  /** The list last taken: members, or the buckets watched. */
  sources: ReadonlySet<string> = new Set();
  /** The derived value that {@link sources} was made of. */
  taken: unknown = undefined;
  /** Of each member, how many sources name it. */
  readonly counts: Map<string, number> = new Map();
  /** A cell for each member: its value is the resources taken, its one dependency the cell they came from. */
  readonly members: Map<string, Cell> = new Map();
  /** Ids of the views it is a layer of, to forget them with it. */
  readonly viewIds: Set<string> = new Set();
  /** Members that may have come, gone or changed. */
  readonly suspects: Set<string> = new Set();

  constructor(
    readonly engine: Engine,
    readonly name: string,
    readonly spec: AnySpec,
    readonly recipe: Recipe,
  ) {
    this.id = engine.nextCollection++;
    this.cell = new Cell(this, "", STALE);
    this.memberHome = { kind: "member", name, collection: this };
    this.log = new ChangeLog(engine.logLimit, engine.logged);
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
    this.engine.orphans.delete(this);
    if (!this.built) this.engine.staleCollections.add(this);
  }

  release(): void {
    if (this.users === 0) {
      throw new MeshError("graph-release", `${this.name} was released more often than retained.`, {
        remedy: "Release once for each retain.",
      });
    }
    this.users--;
    if (this.users === 0) this.engine.orphans.add(this);
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

  /** One source more or less names a member. */
  shift(member: string, by: number): void {
    const had = this.counts.get(member) ?? 0;
    if (had + by === 0) this.counts.delete(member);
    else this.counts.set(member, had + by);
    if (had !== 0 && had + by !== 0) return;
    this.suspects.add(member);
    markCell(this.engine, this.cell);
  }
}
