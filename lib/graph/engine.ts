/**
 * The state of one graph, shared by the functions that work on it. Nothing here
 * is visible outside the room.
 *
 * @module
 */
import type { Step } from "./ahead.ts";
import type { Edit, Fault, GraphOptions, Resource } from "./api.ts";
import type { Bucket, IndexTable } from "./buckets.ts";
import { type Cell, IDLE, type Trouble } from "./cell.ts";
import type { LiveCollection } from "./collection.ts";
import type { DerivedTable } from "./home.ts";
import type { InputTable } from "./input.ts";
import { Ledger } from "./ledger.ts";
import { type Held, RevisionLog } from "./log.ts";
import type { LayeredView } from "./view.ts";
import { Round } from "./round.ts";
import { MeshError } from "../base/mod.ts";

/** Log entries kept per collection when the options do not say. */
const DEFAULT_LOG_LIMIT = 4096;
/** Bytes that all logs take when the options do not say. */
const DEFAULT_LOG_BYTES = 32 * 1024 * 1024;
/** Edits kept when the options do not say: about a megabyte. */
const DEFAULT_EDIT_LIMIT = 16_384;
/** Input rows with an account when the options do not say. */
const DEFAULT_COST_LIMIT = 4096;

/** Trouble outside a cell: a placement, a key function, a watcher. */
export interface SideFault extends Trouble {
  readonly table: string;
  readonly key: string;
  readonly lastGood: boolean;
  readonly inputs: readonly string[];
}

/** A computation under way. */
export interface Running {
  /** Microseconds spent in computations nested inside this one. */
  inner: number;
  /** Its name, for messages. */
  describe(): string;
}

/** What the graph is doing at the request of its owner. */
export type Activity = "idle" | "transaction" | "writing" | "publication";

/** A fault raised or healed, not yet told. */
type Notice = readonly [table: string, key: string, fault: Fault | undefined];

/** Bytes of the resources in a list; 0 for anything else. */
export function weigh(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  let bytes = 0;
  for (const one of value) bytes += (one as Partial<Resource>).bytes?.length ?? 0;
  return bytes;
}

/** All state of a graph. */
export class Engine {
  /** Revision of the last transaction that changed something. */
  revision = 0;
  /** Revision of the last publication. */
  published = 0;
  /** What is being done from outside; a computation shows in {@link frame}. */
  activity: Activity = "idle";

  readonly tables: Map<string, InputTable | DerivedTable | IndexTable> = new Map();
  readonly collections: Map<string, LiveCollection> = new Map();
  readonly views: Map<string, LayeredView> = new Map();
  /** Numbers collections, for the identity of views. */
  nextCollection = 1;

  /** The innermost running computation. */
  frame: Running | undefined = undefined;
  /** Computations nested on the native stack. */
  depth = 0;
  /** Set when a computation was given up for being nested too deep: the cell to bring up first. */
  wanted: Cell | undefined = undefined;
  /** Whether cells are being computed ahead of a publication: collections stay as they are then. */
  ahead = false;
  /** Set when a computation was given up for asking for a collection that must stay as it is. */
  halted: LiveCollection | undefined = undefined;
  /** Cells for which that was so; they wait for the publication. */
  readonly postponed: Set<Cell> = new Set();
  /** Whether collections are being built little by little. */
  preparing = false;
  /** The piece of building a collection that is being done. */
  step: Step | undefined = undefined;
  /** Busy cells, outermost first, and beside each the dependency to verify next. */
  readonly path: Cell[] = [];
  readonly cursors: number[] = [];
  /** Cells found to read themselves, with the error that names the cycle. */
  readonly cycles: Map<Cell, MeshError> = new Map();
  /** The stack of recorded reads; the running computation's begin at its base. */
  readonly reads: Cell[] = [];
  top = 0;
  /** Source of marks for {@link Cell.seen}. */
  epoch = 0;

  /** Collections with something to settle. */
  readonly staleCollections: Set<LiveCollection> = new Set();
  /** Watches whose cell may have changed. */
  readonly staleWatches: Set<Cell> = new Set();
  /** Collections changed since the last publication. */
  changed: Set<LiveCollection> = new Set();
  /** Buckets touched by the running transaction: of each member, whether it was in before. */
  readonly touchedBuckets: Map<Bucket, Map<string, boolean>> = new Map();

  readonly faulted: Set<Cell> = new Set();
  /** By table and key, separated by NUL. */
  readonly sideFaults: Map<string, SideFault> = new Map();

  /** Derived cells that nobody reads, the longest forgotten first. */
  readonly unread: Set<Cell> = new Set();
  /** Bytes of the resources in {@link unread}. */
  unreadBytes = 0;
  /** Cells and collections evicted. */
  evicted = 0;
  /** Absent rows and empty buckets that have lost their readers; swept when no computation runs. */
  readonly husks: Set<Cell> = new Set();
  /** Collections without users, the longest forgotten first. */
  readonly orphans: Set<LiveCollection> = new Set();

  /** Faults to tell the listener of, once no operation is under way that it could disturb. */
  readonly notices: Notice[] = [];

  cutOff = 0;
  readonly now: (() => number) | undefined;
  readonly logLimit: number;
  readonly logBytes: number;
  /** What the logs of collections hold. */
  readonly logged: Held = { bytes: 0 };
  /** Rows that changed, and when that was published. */
  readonly edits: RevisionLog<Edit>;
  readonly publications: RevisionLog<{ readonly revision: number }>;
  readonly round: Round = new Round();
  readonly ledger: Ledger;
  readonly onFault: GraphOptions["onFault"];

  /** Brings a stale cell up to date. A slot, so that tables need not import the evaluator. */
  pull: (cell: Cell) => void = () => {};
  /** Describes a faulted cell. A slot for the same reason. */
  describe: (cell: Cell) => Fault | undefined = () => undefined;

  constructor(options: GraphOptions) {
    this.now = options.now;
    this.logLimit = Math.max(0, options.logLimit ?? DEFAULT_LOG_LIMIT);
    const editLimit = Math.max(0, options.editLimit ?? DEFAULT_EDIT_LIMIT);
    this.edits = new RevisionLog(editLimit);
    this.publications = new RevisionLog(editLimit);
    this.ledger = new Ledger(Math.max(0, options.costLimit ?? DEFAULT_COST_LIMIT));
    this.logBytes = Math.max(0, options.logBytes ?? DEFAULT_LOG_BYTES);
    this.onFault = options.onFault;
  }

  /** Tells of the faults that came and went. What the listener throws is its own affair. */
  flush(): void {
    if (this.notices.length === 0 || this.activity !== "idle" || this.path.length > 0) return;
    for (let notice = this.notices.shift(); notice !== undefined; notice = this.notices.shift()) {
      try {
        this.onFault?.(...notice);
      } catch {
        // The listener is where failures are reported; there is nowhere else to report its own.
      }
    }
  }

  /** Called when a cell has lost its last reader. */
  unreadAgain(cell: Cell): void {
    const { home } = cell;
    if (home.kind === "derived") {
      cell.flags |= IDLE;
      this.unread.add(cell);
      if (home.heavy) this.unreadBytes += weigh(cell.value);
    } else if (home.kind === "input" || home.kind === "index") this.husks.add(cell);
  }

  /** Called when a derived cell has its first reader. */
  readAgain(cell: Cell, table: DerivedTable): void {
    this.unread.delete(cell);
    if (table.heavy) this.unreadBytes -= weigh(cell.value);
    if ((cell.flags & IDLE) === 0) return;
    cell.flags &= ~IDLE;
    table.revived++;
  }

  /** Refuses an untracked read inside a computation: its result would not be invalidated. */
  untracked(what: string, name: string): void {
    if (this.frame === undefined && this.activity !== "writing") return;
    if (this.frame === undefined) this.mustBeIdle(`Reading ${what} ${name}`);
    else throw untrackedRead(`${what} ${name}`, this.frame.describe());
  }

  /** Refuses an operation that must not happen inside another. */
  mustBeIdle(what: string): void {
    if (this.frame === undefined && this.activity === "idle") return;
    const during = this.frame === undefined
      ? `a ${this.activity === "publication" ? "publication" : "transaction"}`
      : `the computation of ${this.frame.describe()}`;
    throw new MeshError("graph-busy", `${what} is not possible inside ${during}.`, {
      remedy: "Do it after the outer operation has returned.",
    });
  }
}

function untrackedRead(what: string, cell: string): MeshError {
  return new MeshError(
    "graph-untracked-read",
    `The ${what} was read past the handle while ${cell} was being computed.`,
    { remedy: "Read it through the handle that the computation was given." },
  );
}
