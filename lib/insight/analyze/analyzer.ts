/**
 * Interface of analyzers, and the inputs that they may read.
 *
 * @module
 */
import type { Mesh } from "../../mesh/derive/mod.ts";
import type { Read } from "../../mesh/graph/mod.ts";
import type { ConfigObject } from "../../mesh/model/mod.ts";
import type { SpecOf, TableKind } from "../../mesh/schema/mod.ts";
import type { AnalysisIndexes } from "./indexes.ts";
import type { Code } from "./codes.ts";
import type { Finding } from "./message.ts";

/** The tables that analyzers read. Every read is recorded, so that an edit repeats only what read its row. */
export interface Context {
  readonly read: Read;
  readonly mesh: Mesh;
  readonly indexes: AnalysisIndexes;
}

/** Checks of the objects of some kinds, one object at a time. */
export interface Analyzer<K extends TableKind = TableKind> {
  /** As `meshctl analyze` lists it. */
  readonly name: string;
  readonly kinds: readonly K[];
  readonly codes: readonly Code[];
  readonly analyze: (context: Context, row: ConfigObject<SpecOf<K>>) => Iterable<Finding>;
}
