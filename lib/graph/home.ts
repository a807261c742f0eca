/**
 * Where cells live: what the engine needs to know about each sort of table to
 * follow an edge. The tables themselves are in files of their own.
 *
 * @module
 */
import type { Derived, Read } from "./api.ts";
import type { KeyCodec } from "./key/mod.ts";
import type { Cell } from "./cell.ts";
import type { IndexTable } from "./buckets.ts";
import type { Engine } from "./engine.ts";
import type { InputTable } from "./input.ts";
import type { LiveCollection } from "./collection.ts";

/** A derived table: its function, its memory, its ledger. */
export class DerivedTable implements Derived<unknown, unknown> {
  readonly kind = "derived";
  readonly cells: Map<string, Cell> = new Map();
  /** Computations run. */
  computed = 0;
  /** Microseconds of own time. */
  micros = 0;
  /** Whether the values are resources of a collection, whose bytes are counted. */
  heavy = false;
  /** Cells made, and cells read again after nobody had. */
  made = 0;
  revived = 0;

  constructor(
    readonly engine: Engine,
    readonly name: string,
    readonly keyCodec: KeyCodec<unknown>,
    readonly compute: (read: Read, key: unknown) => unknown,
    readonly equal: (a: unknown, b: unknown) => boolean,
  ) {}
}

/** The member cells of one collection; a member's cell tells its collection when it goes stale. */
export interface MemberHome {
  readonly kind: "member";
  readonly name: string;
  readonly collection: LiveCollection;
}

/** The cell behind one {@link Graph.watch}. */
export interface WatchHome {
  readonly kind: "watch";
  readonly name: string;
  readonly onChange: (value: unknown) => void;
}

/** Any home. The cell's own kind is its home's. */
export type Home =
  | InputTable
  | DerivedTable
  | IndexTable
  | LiveCollection
  | MemberHome
  | WatchHome;
