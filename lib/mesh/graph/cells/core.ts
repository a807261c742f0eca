/**
 * The state of one graph that all folders of the engine share. It knows cells,
 * but no tables and no collections: those are in `engine.ts`. Nothing here is
 * visible outside the room.
 *
 * @module
 */
import type { Edit, Fault } from "../api/answers.ts";
import type { GraphOptions } from "../api/graph.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import type { Cell, Failure } from "./cell.ts";
import { Ledger } from "./ledger.ts";
import { RevisionLog } from "./revision_log.ts";
import { ChangeWindow } from "./change_window.ts";

/** Edits kept when the options do not say: about a megabyte. */
const DEFAULT_EDIT_LIMIT = 16_384;
/** Input rows with an account when the options do not say. */
const DEFAULT_COST_LIMIT = 4096;

/** A failure outside a cell: of an index function, a key function, a watcher. */
export interface SideFault extends Failure {
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

/** A part of a computation that was abandoned later. */
export interface Part {
  readonly value: unknown;
  /** Cells that it read first in its computation. */
  readonly reads: readonly Cell[];
  /** Number of the part after it, which is larger by the parts inside this one. */
  readonly next: number;
}

/** In place of a cell: a computation was abandoned because time was up. */
export const LATE: unique symbol = Symbol("late");

/** The current operation of the graph's owner. */
export type Activity = "idle" | "transaction" | "writing" | "publication";

/** A fault raised or healed that `onFault` has not been called for. */
type Notice = readonly [table: string, key: string, fault: Fault | undefined];

/** The shared state of a graph. */
export class Core {
  /** Revision of the last transaction that changed something. */
  revision = 0;
  /** Revision of the last publication. */
  published = 0;
  /** The operation under way; a running computation is {@link frame}. */
  activity: Activity = "idle";

  /** The innermost running computation. */
  frame: Running | undefined = undefined;
  /** Computations nested on the native stack. */
  depth = 0;
  /** Set when a computation was abandoned because it was nested too deep: the cell to compute first. */
  wanted: Cell | undefined = undefined;
  /** True if cells are being computed ahead of a publication: collections must not change then. */
  ahead = false;
  /**
   * Set when a computation was abandoned: the cell of the collection that it read and that must not
   * change, or {@link LATE}.
   */
  halted: Cell | typeof LATE | undefined = undefined;
  /** Set while cells are computed ahead in pieces: reports if the time of the piece is up. */
  late: (() => boolean) | undefined = undefined;
  /** True if the piece has computed a part, so that each piece makes progress. */
  advanced = false;
  /** Parts of abandoned computations, by number, until an edit or a publication. */
  readonly parts: Map<Cell, Part[]> = new Map();
  /** Cells of such computations; they wait for the publication. */
  readonly postponed: Set<Cell> = new Set();
  /** Busy cells, outermost first, and for each the dependency to verify next. */
  readonly path: Cell[] = [];
  readonly cursors: number[] = [];
  /** Cells found to read themselves, with the error that names the cycle. */
  readonly cycles: Map<Cell, MeshError> = new Map();
  /** The stack of recorded reads; those of the running computation begin at its base. */
  readonly reads: Cell[] = [];
  top = 0;
  /** Source of marks for {@link Cell.seen}. */
  epoch = 0;

  /** Watches whose cell may have changed. */
  readonly staleWatches: Set<Cell> = new Set();
  readonly faulted: Set<Cell> = new Set();
  /** By table and key, separated by NUL. */
  readonly sideFaults: Map<string, SideFault> = new Map();
  /** Faults to report once no operation is under way that the listener could disturb. */
  readonly notices: Notice[] = [];

  /** Derived cells without readers, the least recently used first. */
  readonly unread: Set<Cell> = new Set();
  /** Bytes of the resources in {@link unread}. */
  unreadBytes = 0;
  /** Absent rows and empty buckets that have lost their readers; removed when no computation runs. */
  readonly empty: Set<Cell> = new Set();
  /** Cells and collections evicted. */
  evicted = 0;
  /** Computations whose result equalled the old one. */
  cutOff = 0;

  readonly now: (() => number) | undefined;
  /** Rows that changed, and the revisions that were published. */
  readonly edits: RevisionLog<Edit>;
  readonly publications: RevisionLog<{ readonly revision: number }>;
  readonly changes: ChangeWindow = new ChangeWindow();
  readonly ledger: Ledger;
  readonly onFault: GraphOptions["onFault"];

  /** Brings a stale cell up to date. Set by `graph.ts`, since tables and collections stand below the evaluator. */
  pull: (cell: Cell) => void = () => {};
  /** Describes a faulted cell. Set by `graph.ts` for the same reason. */
  describe: (cell: Cell) => Fault | undefined = () => undefined;

  constructor(options: GraphOptions) {
    this.now = options.now;
    const editLimit = Math.max(0, options.editLimit ?? DEFAULT_EDIT_LIMIT);
    this.edits = new RevisionLog(editLimit);
    this.publications = new RevisionLog(editLimit);
    this.ledger = new Ledger(Math.max(0, options.costLimit ?? DEFAULT_COST_LIMIT));
    this.onFault = options.onFault;
  }

  /** Reports faults that were raised or healed. Errors of the listener are dropped. */
  flush(): void {
    if (this.notices.length === 0 || this.activity !== "idle" || this.path.length > 0) return;
    for (let notice = this.notices.shift(); notice !== undefined; notice = this.notices.shift()) {
      try {
        this.onFault?.(...notice);
      } catch {
        // The listener is the place where failures are reported; there is no other for its own.
      }
    }
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
    `The ${what} was read without the read context while ${cell} was being computed.`,
    { remedy: "Read it through the context that the computation was given." },
  );
}
