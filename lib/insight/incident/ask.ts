/**
 * The command `incident`: reads the evidence, and asks a daemon.
 *
 * @module
 */
import {
  dataError,
  EXIT_UNKNOWN,
  type Invocation,
  neutralText,
  readInput,
  usageError,
} from "../../kit/cli/mod.ts";
import type { ReadPage } from "../daemon_client/mod.ts";
import { readEvidence } from "./evidence.ts";
import type { Incident } from "./incident.ts";
import { lineWith } from "./log_search.ts";
import { renderIncident } from "./render.ts";

/** Exit statuses of outcomes. */
const STATUSES: Readonly<Record<Incident["outcome"], number>> = {
  allowed: 0,
  denied: 1,
  unknown: EXIT_UNKNOWN,
};

const HOW = "Quote a curl command, or a line of an access log; or write - and pipe it in.";

/** The evidence of the argument, of standard input, or of a log. It is checked before a daemon is asked. */
export async function readGiven({ args: [given = ""], flags, io }: Invocation): Promise<string> {
  const logs = flags.string("logs");
  if (given === "-" && logs === "-") {
    throw usageError("the evidence and the log cannot both be standard input", HOW);
  }
  const text = given === "-" ? await readInput("-", io) : given;
  const found = logs === "" ? { line: text } : lineWith(await readInput(logs, io), text);
  if ("error" in found) throw dataError(found.error, "Search the logs of all proxies on the way.");
  const evidence = readEvidence(found.line);
  if (typeof evidence === "string") throw dataError(evidence, HOW);
  return found.line;
}

/** Asks the daemon about an incident, and prints the answer. */
export async function askIncident(
  { flags, io }: Invocation,
  text: string,
  read: ReadPage,
): Promise<number> {
  const from = flags.string("from");
  const page = await read("incident", [
    ["text", text],
    ...from === "" ? [] : [["from", from] as const],
  ]);
  const incident = JSON.parse(page) as Incident;
  io.out(
    flags.string("output") === "json"
      ? `${JSON.stringify(incident, null, 2)}\n`
      : neutralText(renderIncident(incident)),
  );
  return STATUSES[incident.outcome];
}
