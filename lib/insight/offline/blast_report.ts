/**
 * A blast radius as text and as Markdown.
 *
 * @module
 */
import { neutral } from "./neutral.ts";
import { renderPrediction, shortName } from "../whatif/mod.ts";
import type { ChangedRequest, ComparedRequest } from "./blast_radius.ts";
import type { BlastRadius } from "./change.ts";
import { verdictLine } from "../verdict/mod.ts";

/** Requests of a report; a summary counts all. */
const SHOWN = 50;

const WORDS: Readonly<Record<ChangedRequest["change"], string>> = {
  allowed: "newly allowed",
  denied: "newly denied",
  moved: "moved",
  unknown: "not known after it",
};

function summaryOf({ prediction, requests, otherKinds }: BlastRadius): string {
  const { concerned, connected } = prediction.proxies;
  const { changes, stayDenied, stayUnknown, left } = requests;
  const of = (change: ChangedRequest["change"]) =>
    changes.filter((one) => one.change === change).length;
  const counts = [
    ...(["denied", "allowed", "moved"] as const).map((one) => `${of(one)} ${WORDS[one]}`),
    ...(of("unknown") === 0 ? [] : [`${of("unknown")} ${WORDS.unknown}`]),
    ...(stayDenied.length === 0 ? [] : [`${stayDenied.length} denied before and after it`]),
    ...(stayUnknown.length === 0 ? [] : [`${stayUnknown.length} not known`]),
  ];
  const more = left === 0 ? "" : `; ${left} more requests were not compared`;
  const others = otherKinds === 0 ? "" : ` (${otherKinds} further kinds were not compared)`;
  return `${concerned} of ${connected} kinds of proxies are affected${others}; of ${requests.compared} ` +
    `requests ${counts.join(", ")}${more}.`;
}

/** The counts of requests of access logs. */
function seenSummary({ requests: { seen } }: BlastRadius): string[] {
  if (seen === undefined) return [];
  const { lines, denied, allowed, moved, unknown, strange } = seen;
  const others = strange === 0 ? "" : `; ${strange} more are of proxies that are not known`;
  return [
    `Of ${lines} requests of access logs ${denied} ${WORDS.denied}, ${allowed} ${WORDS.allowed}, ` +
    `${moved} ${WORDS.moved}, ${unknown} not known${others}.`,
  ];
}

/** The requests with another outcome, then the resources of each class of proxies. */
export function blastText(blast: BlastRadius): string {
  const { changes } = blast.requests;
  const lines = [
    summaryOf(blast),
    ...seenSummary(blast),
    ...changes.slice(0, SHOWN).flatMap((one) => [
      `${WORDS[one.change]}: ${nameOf(one)}`,
      `    before: ${verdictLine(one.before)}`,
      `    after:  ${verdictLine(one.after)}`,
    ]),
    ...changes.length > SHOWN ? [`and ${changes.length - SHOWN} more requests`] : [],
    ...byClient("denied before and after it", blast.requests.stayDenied),
    ...byClient("not known", blast.requests.stayUnknown),
    ...blast.limits.map((one) => `note: ${one}`),
  ];
  return neutral(`${lines.join("\n")}\n${renderPrediction(blast.prediction)}`);
}

function nameOf({ from, url, details, times }: ComparedRequest): string {
  const seen = times === undefined ? "" : `, seen ${times === 1 ? "once" : `${times} times`}`;
  return `${from} ${url}${details === "" ? "" : ` (${details})`}${seen}`;
}

/** Requests that stay as they are: how many of each client, and one of them. */
function byClient(title: string, requests: readonly ComparedRequest[]): string[] {
  return [...Map.groupBy(requests, ({ from }) => from)].slice(0, SHOWN).flatMap(([from, list]) => [
    `${title}: ${list.length} of ${from}, such as ${nameOf(list[0]!).slice(from.length + 1)}`,
    `    ${verdictLine(list[0]!.after)}`,
  ]);
}

/** For a comment on a change under review. */
export function blastMarkdown(blast: BlastRadius): string {
  const { prediction, requests } = blast;
  const rows = requests.changes.slice(0, SHOWN).map((one) =>
    row([
      WORDS[one.change],
      one.from,
      nameOf(one).slice(one.from.length + 1),
      verdictLine(one.before),
      verdictLine(one.after),
    ])
  );
  const resources = prediction.changes.slice(0, SHOWN).map(({ typeUrl, name, change, classes }) =>
    row([shortName(typeUrl), name, change, `${classes.length}`])
  );
  const edits = prediction.edits.map(({ object, change }) => `- \`${cell(object)}\` ${change}\n`);
  const logged = seenSummary(blast).map((one) => `${one}\n\n`).join("");
  return neutral([
    `## Blast radius\n\n${summaryOf(blast)}\n\n${logged}${edits.join("")}\n`,
    ...table(["Request", "From", "URL", "Before", "After"], rows),
    ...table(
      ["Not changed", "Example", "Outcome"],
      [
        ...byClient("denied before and after it", requests.stayDenied),
        ...byClient("not known", requests.stayUnknown),
      ].flatMap((line, at, all) =>
        at % 2 === 1 ? [] : [row([...split(line), all[at + 1]!.trim()])]
      ),
    ),
    ...blast.limits.map((one) => `- ${cell(one)}\n`),
    ...(blast.limits.length === 0 ? [] : ["\n"]),
    ...table(["Resource", "Name", "Change", "Classes of proxies"], resources),
  ].join(""));
}

function split(line: string): [string, string] {
  const at = line.indexOf(", such as ");
  return [line.slice(0, at), line.slice(at + ", such as ".length)];
}

function table(head: readonly string[], rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  return [row(head), row(head.map(() => "---")), ...rows, "\n"];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(" | ")} |\n`;
}

/** A cell without characters that end it or begin markup. */
function cell(text: string): string {
  return text.replaceAll("\n", " ").replace(/[|<>`]/g, (one) => `&#${one.charCodeAt(0)};`);
}
