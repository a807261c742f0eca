/**
 * Recording of decisions: a computation runs again, its own and those of the
 * cells whose decisions it takes over, with a log that records.
 *
 * @module
 */
import type { Collection, Resource } from "../api/collections.ts";
import type { Explained, Read } from "../api/rows.ts";
import type { Derived, Index, Input } from "../api/tables.ts";
import { about, type Decision, MeshError, type RecordedDecision } from "../../../kit/base/mod.ts";
import { foreign } from "../cells/mod.ts";
import { DerivedTable } from "../tables/mod.ts";

/** Computations nested by `follow` before they are taken for a cycle; translation nests about ten. */
const DEEPEST = 100;

/** A context that records no decisions. */
export abstract class PlainRead implements Read {
  abstract get<V, K>(table: Input<V, K>, key: K): V | undefined;
  abstract get<V, K>(table: Derived<V, K>, key: K): V;
  abstract members<B, M>(index: Index<B, M>, bucket: B): readonly M[];
  abstract any<B, M>(index: Index<B, M>, bucket: B): boolean;
  abstract content(collection: Collection): ReadonlyMap<string, Resource>;

  follow<V, K>(table: Derived<V, K>, key: K): V {
    return this.get<V, K>(table, key);
  }

  explain<V, K>(table: Derived<V, K>, key: K): Explained<V> {
    return explainBy(this, { table, key });
  }

  within(): this {
    return this;
  }

  mapped(): this {
    return this;
  }

  part<T>(compute: () => T): T {
    return compute();
  }
}

/** A value that is computed again. */
interface Question<V, K> {
  readonly table: Derived<V, K>;
  readonly key: K;
  /** Names of the parts whose decisions are asked for; unset: all. */
  readonly asked?: ReadonlySet<string> | undefined;
}

/** Computes a value again, reading through a context, and collects its decisions. */
export function explainBy<V, K>(
  read: PlainRead,
  { table, key, asked }: Question<V, K>,
): Explained<V> {
  const found = new Map<string, Decision>();
  const record = ({ of = [], passedOver = [], ...rest }: RecordedDecision): void => {
    const decision = { of, ...rest, ...(passedOver.length === 0 ? {} : { passedOver }) };
    found.set(JSON.stringify(decision), decision);
  };
  const value = new RecordingRead(read, record, { depth: 0, asked }).follow(table, key);
  return { value, decisions: [...found.values()] };
}

/** The place of a context in the computation. */
interface Place {
  readonly depth: number;
  readonly asked: ReadonlySet<string> | undefined;
}

/** A context that reads through another one and records decisions. */
class RecordingRead implements Read {
  readonly decide: (decision: RecordedDecision) => void;
  readonly asked?: ReadonlySet<string>;
  readonly #read: PlainRead;
  readonly #place: Place;

  constructor(read: PlainRead, decide: (decision: RecordedDecision) => void, place: Place) {
    this.#read = read;
    this.decide = decide;
    this.#place = place;
    if (place.asked !== undefined) this.asked = place.asked;
  }

  get<V, K>(table: Input<V, K>, key: K): V | undefined;
  get<V, K>(table: Derived<V, K>, key: K): V;
  get<V, K>(table: Derived<V, K>, key: K): V {
    return this.#read.get<V, K>(table, key);
  }

  follow<V, K>(table: Derived<V, K>, key: K): V {
    if (!(table instanceof DerivedTable)) throw foreign(table.name);
    const { depth, asked } = this.#place;
    if (depth >= DEEPEST) {
      throw new MeshError(
        "graph-decisions-too-deep",
        `More than ${DEEPEST} computations take over each other's decisions, the last of them of ${table.name}.`,
        { remedy: "Look for a cell that follows itself." },
      );
    }
    const inner = new RecordingRead(this.#read, this.decide, { depth: depth + 1, asked });
    return table.compute(inner, key) as V;
  }

  explain<V, K>(table: Derived<V, K>, key: K): Explained<V> {
    return explainBy(this.#read, { table, key });
  }

  members<B, M>(index: Index<B, M>, bucket: B): readonly M[] {
    return this.#read.members(index, bucket);
  }

  any<B, M>(index: Index<B, M>, bucket: B): boolean {
    return this.#read.any(index, bucket);
  }

  content(collection: Collection): ReadonlyMap<string, Resource> {
    return this.#read.content(collection);
  }

  within(...part: readonly string[]): this {
    return this.mapped((decision) => about(part, decision));
  }

  mapped(change: (decision: RecordedDecision) => RecordedDecision | undefined): this {
    const record = (decision: RecordedDecision): void => {
      const changed = change(decision);
      if (changed !== undefined) this.decide(changed);
    };
    // The class is not exported and has no subclass.
    return new RecordingRead(this.#read, record, this.#place) as this;
  }

  part<T>(compute: () => T): T {
    return compute();
  }
}
