/**
 * The cost of computing, by edited input row.
 *
 * @module
 */
import type { InputCost } from "../api/answers.ts";
import type { Cell } from "./cell.ts";

/** Cells keep tenths of microseconds, so that they are small integers. */
export const TENTHS = 10;

interface Share {
  publications: number;
  micros: number;
  computed: number;
}

/** The accounts of one graph. */
export class Ledger {
  /** Microseconds computed in all, and computations. */
  micros = 0;
  computed = 0;
  /** Their values at the last {@link attribute}. */
  #micros = 0;
  #computed = 0;
  readonly unattributed: { micros: number; computed: number } = { micros: 0, computed: 0 };
  /** By table, then key. */
  readonly inputs: Map<string, Map<string, Share>> = new Map();
  #size = 0;

  constructor(readonly limit: number) {}

  /** Records one computation and its own time. */
  charge(cell: Cell, micros: number): void {
    this.micros += micros;
    cell.spent += Math.round(micros * TENTHS);
  }

  /**
   * Attributes the work since the last call to edited rows, in equal parts. With no
   * rows, or more than the limit, it is unattributed.
   */
  attribute(rows: Iterable<Cell>, count: number): void {
    const micros = this.micros - this.#micros;
    const computed = this.computed - this.#computed;
    this.#micros = this.micros;
    this.#computed = this.computed;
    if (count === 0 || count > this.limit) {
      this.unattributed.micros += micros;
      this.unattributed.computed += computed;
      return;
    }
    for (const { home, key } of rows) {
      const share = this.#share(home.name, key);
      share.publications++;
      share.micros += micros / count;
      share.computed += computed / count;
    }
    if (this.#size > this.limit) this.#forgetCheapest();
  }

  reset(): void {
    this.micros =
      this.computed =
      this.#micros =
      this.#computed =
      this.#size =
        0;
    this.unattributed.micros = this.unattributed.computed = 0;
    this.inputs.clear();
  }

  /** All accounts of inputs, the most expensive first. */
  list(): InputCost[] {
    const all: InputCost[] = [];
    for (const [table, keys] of this.inputs) {
      for (const [key, share] of keys) all.push({ table, key, ...share });
    }
    return all.sort((a, b) => b.micros - a.micros || b.computed - a.computed);
  }

  #share(table: string, key: string): Share {
    let keys = this.inputs.get(table);
    if (keys === undefined) this.inputs.set(table, keys = new Map());
    let share = keys.get(key);
    if (share === undefined) {
      keys.set(key, share = { publications: 0, micros: 0, computed: 0 });
      this.#size++;
    }
    return share;
  }

  /** Removes a quarter, so that sorting is rare. */
  #forgetCheapest(): void {
    const cheap = this.list().slice(Math.ceil(this.limit * 3 / 4));
    for (const { table, key } of cheap) this.inputs.get(table)!.delete(key);
    this.#size -= cheap.length;
  }
}
