/**
 * The whole state of one graph.
 *
 * @module
 */
import type { GraphOptions } from "./api/graph.ts";
import { type Cell, Core } from "./cells/mod.ts";
import { CollectionStore, type LayeredView } from "./collections/mod.ts";
import type { DerivedTable, Feed, IndexTable, InputTable } from "./tables/mod.ts";

/** Everything that has a name of its own, but collections. */
export type Table = InputTable | DerivedTable | IndexTable;

/** A look at the cells that a publication of a revision needs. */
export interface Walk {
  readonly revision: number;
  /** Those that were not looked at yet. */
  readonly cells: Iterator<Cell, undefined>;
  /** The one that was abandoned between two parts. */
  unfinished: Cell | undefined;
}

/** The state of a graph: the core with its tables, collections and views. */
export class Engine extends Core {
  readonly tables: Map<string, Table> = new Map();
  readonly collections: CollectionStore;
  /** In the order of their declaration: one that takes its groups from another's table comes later. */
  readonly feeds: Feed[] = [];
  /** True if feeds wait for work ahead of a publication. */
  readonly feedsAhead: boolean;
  /** By the ids of their layers. */
  readonly views: Map<string, LayeredView> = new Map();
  /** The rest of the work ahead of the next publication. */
  walk: Walk | undefined = undefined;

  constructor(options: GraphOptions) {
    super(options);
    this.collections = new CollectionStore(options);
    this.feedsAhead = options.feeds === "ahead";
  }
}
