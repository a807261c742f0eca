/**
 * Recording of the input: changed rows of each publication, as JSON lines. Recordings have
 * configuration as it was read. They have no secrets, because no table has any.
 *
 * @module
 */
import type { Tables } from "../../mesh/derive/mod.ts";
import type { Graph, Input } from "../../mesh/graph/mod.ts";
import type { Features } from "../../mesh/translate/mod.ts";
import { codecOf } from "./codec.ts";

/** Version of the format. */
export const LOG_FORM = 1;

/** Settings that generation depends on in addition to rows. */
export interface RecordedOptions {
  readonly domain: string;
  readonly clusterId: string;
  readonly features: Features;
}

/** The first line. */
export interface LogHeader {
  readonly form: number;
  readonly options: RecordedOptions;
}

/** One row; without `row` it was deleted. */
export interface LoggedRow {
  readonly table: string;
  readonly key: string;
  readonly row?: unknown;
}

/** All lines except the first. */
export interface LogLine {
  /** Revision of the publication. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True if the line has all rows instead of changed ones. */
  readonly whole?: true;
  readonly rows: readonly LoggedRow[];
}

/** Records publications. */
export interface Recorder {
  /** To be called after each publication. */
  note(revision: number): void;
}

export interface RecordingOptions {
  readonly graph: Graph;
  readonly tables: Tables;
  /** The first line. */
  readonly options: RecordedOptions;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Writes a line, passed without line end. */
  readonly write: (line: string) => void;
}

/** Starts a recording with all rows. */
export function startRecording(
  { graph, tables, options, clock, write }: RecordingOptions,
): Recorder {
  const inputs = new Map<string, Input<unknown>>(
    Object.values(tables).map((table: Input<unknown>) => [table.name, table]),
  );
  let last = 0;
  const note = (revision: number, whole: boolean): void => {
    const edits = whole ? undefined : graph.edits(last);
    last = revision;
    const rows = edits === undefined ? allRows(inputs) : rowsOf(inputs, edits);
    const line: LogLine = {
      revision,
      at: clock(),
      ...edits === undefined && { whole: true },
      rows,
    };
    write(JSON.stringify(line));
  };
  const header: LogHeader = { form: LOG_FORM, options };
  write(JSON.stringify(header));
  note(graph.revision, true);
  return { note: (revision) => note(revision, false) };
}

function allRows(inputs: ReadonlyMap<string, Input<unknown>>): LoggedRow[] {
  return [...inputs.values()].flatMap((table) =>
    table.keys().filter((key) => !table.isFed(key)).map((key) => rowOf(table, key))
  );
}

/** The current state of the edited rows, each once. */
function rowsOf(
  inputs: ReadonlyMap<string, Input<unknown>>,
  edits: readonly { readonly table: string; readonly key: string }[],
): LoggedRow[] {
  const seen = new Set<string>();
  return edits.flatMap(({ table, key }) => {
    const input = inputs.get(table);
    if (input === undefined || seen.has(`${table}\0${key}`)) return [];
    seen.add(`${table}\0${key}`);
    return [rowOf(input, key)];
  });
}

function rowOf(table: Input<unknown>, key: string): LoggedRow {
  const row = table.peek(key);
  if (row === undefined) return { table: table.name, key };
  return { table: table.name, key, row: codecOf(table.name).encode(row) };
}
