/**
 * The command `incident`: reads the evidence, and asks the daemons.
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
import { askedOfAll, type DebugPages, type PageParameters } from "../daemon_client/mod.ts";
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

/**
 * Asks the daemons about an incident, and prints the answer: the one to which the first proxy is
 * connected, with the proxies of later hops that are connected to others.
 */
export async function askIncident(
  { flags, io }: Invocation,
  text: string,
  pages: DebugPages,
): Promise<number> {
  const [from, jwks] = [flags.string("from"), flags.string("jwks")];
  const parameters: PageParameters = [
    ["text", text],
    ...from === "" ? [] : [["from", from] as const],
    ...jwks === "" ? [] : [["keys", await readInput(jwks, io)] as const],
  ];
  const { answer: incident } = await askedOfAll(
    pages,
    async (more) => incidentIn(await pages.read("incident", [...parameters, ...more])),
  );
  io.out(
    flags.string("output") === "json"
      ? `${JSON.stringify(incident, null, 2)}\n`
      : neutralText(renderIncident(incident)),
  );
  return STATUSES[incident.outcome];
}

/** A daemon of an older version does not say which proxies it lacks: then no other is asked. */
function incidentIn(text: string): Incident {
  const found = JSON.parse(text) as Omit<Incident, "elsewhere"> & Partial<Incident>;
  if (found.elsewhere !== undefined) return { ...found, elsewhere: found.elsewhere };
  const older =
    "whether proxies of other daemons are concerned: this daemon is older and does not say so";
  return { ...found, elsewhere: [], unknown: [...found.unknown, older] };
}
