/**
 * Answers of a graph about itself: edits, faults, reasons, costs, audits.
 *
 * @module
 */
import type { CellRef } from "./collections.ts";

/** An input row that a transaction really changed. */
export interface Edit {
  /** The transaction's. It is out with the first publication of that revision or a later one. */
  readonly revision: number;
  readonly table: string;
  readonly key: string;
  readonly kind: "set" | "delete";
}

/** A cell that threw. */
export interface Fault {
  readonly table: string;
  readonly key: string;
  readonly error: unknown;
  /** Revision at which it first threw since it last worked. */
  readonly since: number;
  /** True if a last good value is being used. */
  readonly lastGood: boolean;
  /**
   * Input rows read before it threw, through any number of cells, as `table/key`;
   * the nearest where there are more than a thousand. `Graph.origins` tells all.
   */
  readonly inputs: readonly string[];
}

/** One reason in the answer to "why". */
export interface Dependency {
  readonly table: string;
  readonly key: string;
  readonly kind: "input" | "derived" | "bucket" | "collection";
  readonly changedAt: number;
}

/** Counters since the start (or since `resetStats`). */
export interface Stats {
  readonly revision: number;
  readonly published: number;
  readonly rows: number;
  readonly cells: number;
  /** Computations run, in all and by table. */
  readonly computed: number;
  readonly computedByTable: Readonly<Record<string, number>>;
  /** Microseconds spent computing (own time, without the cells read inside), by table; 0 when no clock was given. */
  readonly microsByTable: Readonly<Record<string, number>>;
  /** Computations whose result equalled the old one. */
  readonly cutOff: number;
  readonly faults: number;
  /** Bytes of the resources in all collections that are built. */
  readonly bytes: number;
  /** Bytes of the superseded resources that the collections' logs hold. */
  readonly logged: number;
  /** Retained entries without users, see `Keep`. */
  readonly idle: { readonly collections: number; readonly cells: number; readonly bytes: number };
  /** Cells and collections evicted. */
  readonly evicted: number;
  /** For tables of resources: computed cells, and idle cells that were used again. */
  readonly reuse: Readonly<Record<string, { readonly made: number; readonly revived: number }>>;
  /** Input rows that some cell has read. */
  readonly rowsRead: number;
}

/** Cost of one cell since it was created. */
export interface CellCost {
  readonly key: string;
  /** Own time, without the cells read inside. */
  readonly micros: number;
  /** Computations run. */
  readonly computed: number;
}

/** Cost of a derived table (since `resetStats`), and its most expensive present cells. */
export interface TableCost {
  readonly table: string;
  readonly cells: number;
  readonly micros: number;
  readonly computed: number;
  /** The most expensive first. */
  readonly top: readonly CellCost[];
}

/** Cost of the edits of one input row. */
export interface InputCost {
  readonly table: string;
  readonly key: string;
  /** Publications that an edit of it was out with. */
  readonly publications: number;
  /** Its share of the time computed from those edits to their publications. */
  readonly micros: number;
  /** Its share of the computations, a fraction where rows were edited together. */
  readonly computed: number;
}

/** The cost ledger. All lists begin with the most expensive. */
export interface Costs {
  readonly tables: readonly TableCost[];
  /**
   * The marginal cost of edits: the work between the first edit after a publication
   * and the next publication, in equal parts to the rows edited. At most as many
   * as `costLimit`; the cheapest are forgotten first.
   */
  readonly inputs: readonly InputCost[];
  /** For the requested keys: cost of their cells in all tables together. */
  readonly keys: readonly CellCost[];
  /** Work that no edit stands behind: for proxies that connect, and for questions. */
  readonly unattributed: { readonly micros: number; readonly computed: number };
}

/** Bounds of an audit. */
export interface AuditOptions {
  /** Put right what is wrong, with a revision of its own: to be published by the caller. */
  readonly repair?: boolean;
  /** Computations it may take (default 200), and milliseconds, if the graph has a clock. */
  readonly computations?: number;
  readonly millis?: number;
}

export interface AuditResult extends CellRef {
  /** `skipped`: not decidable, see `reason`. */
  readonly outcome: "right" | "wrong" | "repaired" | "skipped";
  /** `out of date`: waits to be computed. `fault`: something below failed, which the law excepts. */
  readonly reason?: "out of date" | "fault" | "too large";
  /**
   * Trusted inputs. `rows`: only rows. `neighbours`, if recomputing from rows was too much: the
   * cells that the cell reads, which are audited separately.
   */
  readonly from: "rows" | "neighbours";
  /** Computations run. */
  readonly computed: number;
  /** The cells below that are wrong, it itself included; a collection by an empty key. */
  readonly wrong: readonly CellRef[];
}
