/**
 * Requests of access logs, for comparisons.
 *
 * @module
 */
import { dataError, type Io, readInput } from "../../kit/cli/mod.ts";
import { accessLogLine } from "../incident/mod.ts";
import type { SeenRequest } from "../offline/mod.ts";

/** Requests of logs, and what was left out, as sentences. */
export interface ReadLogs {
  readonly seen: readonly SeenRequest[];
  readonly notes: readonly string[];
}

/** Lines that are named. */
const NAMED = 5;

/**
 * Reads access logs. Equal requests count as one; the most frequent ones are first.
 *
 * @param most requests that are kept
 * @throws {MeshError} for a log without a line in a built-in format
 */
export async function readAccessLogs(
  files: readonly string[],
  most: number,
  io: Io,
): Promise<ReadLogs> {
  const found = new Map<string, { readonly request: Omit<SeenRequest, "times">; times: number }>();
  const notes: string[] = [];
  for (const file of files) {
    const refused: Refused[] = [];
    let taken = 0;
    for (const [at, line] of (await readInput(file, io)).split("\n").entries()) {
      if (line.trim() === "") continue;
      const request = requestIn(line);
      if (typeof request === "string") {
        refused.push({ line: at + 1, why: request });
        continue;
      }
      taken++;
      const key = JSON.stringify(request);
      const known = found.get(key);
      if (known === undefined) found.set(key, { request, times: 1 });
      else known.times++;
    }
    if (taken === 0) throw noRequests(file, refused);
    notes.push(...notesOf(file, refused));
  }
  const all = [...found.values()].map(({ request, times }) => ({ ...request, times }))
    .sort((a, b) => b.times - a.times);
  const left = all.slice(most).reduce((sum, { times }) => sum + times, 0);
  if (left > 0) notes.push(`${left} lines of access logs with rare requests were left out`);
  return { seen: all.slice(0, most), notes };
}

interface Refused {
  readonly line: number;
  readonly why: string;
}

/** The request of a line, or the reason why it is none. */
function requestIn(line: string): Omit<SeenRequest, "times"> | string {
  const evidence = accessLogLine(line.trim());
  if (typeof evidence === "string") return FORMAT;
  const { url, method, headers, seen, unknown } = evidence;
  if (unknown.some((one) => one.startsWith("the port "))) return PORT;
  return {
    ...{ url, method },
    // Each request has another id.
    headers: headers.filter((one) => !one.startsWith("x-request-id:")),
    ...seen?.remote === undefined ? {} : { remote: seen.remote },
    ...seen?.local === undefined ? {} : { local: seen.local },
  };
}

const FORMAT = "not in a built-in format of access logs (text or JSON)";
const PORT = "of an inbound request without the port that its client called";

function notesOf(file: string, refused: readonly Refused[]): string[] {
  return [...Map.groupBy(refused, ({ why }) => why)].map(([why, group]) => {
    const lines = group.slice(0, NAMED).map(({ line }) => line).join(", ");
    const more = group.length > NAMED ? ` and ${group.length - NAMED} more` : "";
    return `lines that were left out of ${file}, because they are ${why}: ${lines}${more}`;
  });
}

function noRequests(file: string, [first]: readonly Refused[]) {
  return dataError(
    first === undefined
      ? `${file} has no lines`
      : `${file}:${first.line}: the line is ${first.why}, as are all others`,
    "Give the log of a proxy in the text format or the JSON format that are built in.",
  );
}
