/**
 * Requests in a recording: the revisions at which their outcome changed.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { type LogLine, replay } from "../history/mod.ts";
import { OfflineMesh } from "./mesh.ts";
import { type Verdict, verdictOf } from "../verdict/mod.ts";

/** A revision from which a request has another outcome. */
export interface OutcomeChange {
  readonly revision: number;
  /** Time of the publication, in milliseconds since the epoch. */
  readonly at: number;
  /** Rows that the revision changed: `Kind namespace/name`. */
  readonly edits: readonly string[];
  /** Unset for the first revision, and while the workload does not exist. */
  readonly before?: Verdict;
  readonly after?: Verdict;
}

/**
 * Plays a recording (`MESH_INPUT_LOG`) and asks a request at each of its revisions. The first entry
 * is the outcome at its beginning.
 *
 * @throws {MeshError} for a text that is no recording
 */
export function outcomeChanges(recording: string, question: QuestionFields): OutcomeChange[] {
  const lines = linesOf(recording);
  const [first] = lines;
  if (first === undefined) {
    throw new MeshError("input-log-invalid", "the recording has no revision", {
      remedy: "Name a file that MESH_INPUT_LOG named.",
    });
  }
  const played = replay(recording, first.revision);
  const changes: OutcomeChange[] = [];
  let before: Verdict | undefined;
  for (const { revision, at, rows, whole } of lines) {
    played.advance(revision);
    const after = askedAt(OfflineMesh.over(played.translation), question);
    const isFirst = changes.length === 0;
    if (!isFirst && JSON.stringify(after) === JSON.stringify(before)) continue;
    const edits = whole === true && isFirst ? [] : rows.map(({ table, key }) => `${table} ${key}`);
    changes.push({ revision, at, edits, before, after });
    before = after;
  }
  return changes;
}

/** The verdict; `undefined` while the workload of the question does not exist. */
function askedAt(mesh: OfflineMesh, question: QuestionFields): Verdict | undefined {
  try {
    return verdictOf(mesh.ask(question));
  } catch (error) {
    if (error instanceof MeshError && error.code === "unknown-workload") return undefined;
    throw error;
  }
}

function linesOf(recording: string): LogLine[] {
  return recording.split("\n").slice(1, -1).map((line, at) => {
    try {
      return JSON.parse(line) as LogLine;
    } catch (cause) {
      throw new MeshError("input-log-invalid", `line ${at + 2} of the recording is no JSON`, {
        remedy: "Cut the recording before that line.",
        cause,
      });
    }
  });
}
