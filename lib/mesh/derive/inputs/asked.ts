/**
 * The virtual hosts that proxies with configuration on demand have asked for: an input like objects,
 * written when a proxy asks.
 *
 * @module
 */
import { type Graph, type Index, type Input, type KeyCodec, keyOf, text } from "../../graph/mod.ts";

/** A name that proxies of a workload class asked for. */
export interface AskedName {
  /** The workload class, see `workloadClass`. */
  readonly workload: string;
  /** Route table and authority, `table/host`. */
  readonly name: string;
}

/** The codec of {@link AskedName}. */
export const askedNames: KeyCodec<AskedName> = keyOf<AskedName>({ workload: text, name: text });

/** The names of all workload classes. */
export interface Asked {
  readonly rows: Input<true, AskedName>;
  /** Workload class → its names. */
  readonly byWorkload: Index;
}

/** Creates the table and its index. */
export function createAsked(graph: Graph): Asked {
  const rows = graph.input<true, AskedName>("AskedHost", { key: askedNames });
  return {
    rows,
    byWorkload: graph.index(
      rows,
      "askedHosts",
      { bucket: text, member: text },
      (_row, { workload, name }) => [[workload, name]],
    ),
  };
}
