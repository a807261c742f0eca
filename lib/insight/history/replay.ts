/**
 * Replay of a recording: a graph with the rows of a revision, whose resources are those that were
 * served then.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { MESH_ROW } from "../../mesh/derive/mod.ts";
import { createGraph, type Graph, type Input } from "../../mesh/graph/mod.ts";
import { createPipeline, type Translation } from "../../mesh/translate/mod.ts";
import { codecOf } from "./codec.ts";
import { LOG_FORM, type LoggedRow, type LogHeader, type LogLine } from "./record.ts";

export interface Replayed {
  readonly graph: Graph;
  readonly translation: Translation;
  /** The recorded revision; the graph has its own. */
  readonly revision: number;
  /** Time of its publication, milliseconds since the epoch. */
  readonly at: number;
  /** Continues to a later revision; returns the reached one. */
  advance(until: number): number;
}

/**
 * Replays a recording.
 *
 * @param text the recording; an incomplete last line is ignored
 * @param until the last revision to apply (default: all)
 * @throws MeshError `input-log-invalid` for a text that is not a recording, and for a revision
 * before its beginning
 */
export function replay(text: string, until: number = Infinity): Replayed {
  const [header, ...lines] = parse(text);
  const first = lines[0] as LogLine | undefined;
  const { form, options } = (header ?? {}) as LogHeader;
  if (form !== LOG_FORM || first === undefined) {
    throw invalid("it is no recording of this form", "Give a file that MESH_INPUT_LOG named.");
  }
  if (first.revision > until) {
    throw invalid(
      `it begins at revision ${first.revision}, after ${until}`,
      "Ask for a later revision.",
    );
  }
  const graph = createGraph();
  for (const table of ["MeshConfig", "MeshNetworks"]) requireRow(first, table);
  const { translation } = createPipeline(graph, options);
  const inputs = new Map<string, Input<unknown>>(
    Object.values(translation.mesh.tables).map((table: Input<unknown>) => [table.name, table]),
  );
  let position = 0;
  let reached = first;
  const advance = (to: number): number => {
    for (; position < lines.length && (lines[position] as LogLine).revision <= to; position++) {
      reached = lines[position] as LogLine;
      apply(graph, inputs, reached);
      translation.publish();
    }
    return reached.revision;
  };
  advance(until);
  return {
    graph,
    translation,
    advance,
    get revision() {
      return reached.revision;
    },
    get at() {
      return reached.at;
    },
  };
}

function parse(text: string): unknown[] {
  const lines = text.split("\n");
  // Text after the last line end is empty or incomplete.
  return lines.slice(0, -1).map((line, i) => {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw invalid(`line ${i + 1} is no JSON`, "Cut the recording before that line.", cause);
    }
  });
}

function requireRow({ rows }: LogLine, table: string): void {
  const found = rows.some((row) => row.table === table && row.key === MESH_ROW);
  if (!found) throw invalid(`it begins without ${table}`, "Record again.");
}

function apply(
  graph: Graph,
  inputs: ReadonlyMap<string, Input<unknown>>,
  { rows, whole }: LogLine,
): void {
  graph.transaction((tx) => {
    if (whole) {
      for (const table of inputs.values()) for (const key of table.keys()) tx.delete(table, key);
    }
    for (const logged of rows) {
      const table = inputs.get(logged.table);
      if (table === undefined) {
        throw invalid(`it has rows of ${logged.table}, which is unknown`, "Use the same version.");
      }
      write(tx, table, logged);
    }
  });
}

function write(
  tx: Parameters<Parameters<Graph["transaction"]>[0]>[0],
  table: Input<unknown>,
  { key, row }: LoggedRow,
): void {
  if (row === undefined) tx.delete(table, key);
  else tx.set(table, key, codecOf(table.name).decode(row));
}

function invalid(what: string, remedy: string, cause?: unknown): MeshError {
  return new MeshError("input-log-invalid", `The recording cannot be played: ${what}.`, {
    remedy,
    cause,
  });
}
