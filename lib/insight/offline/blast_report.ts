/**
 * A blast radius as text and as Markdown.
 *
 * @module
 */
import { neutral } from "./neutral.ts";
import { renderPrediction, shortName } from "../whatif/mod.ts";
import type { ChangedRequest } from "./blast_radius.ts";
import type { BlastRadius } from "./change.ts";
import { verdictLine } from "../explain/mod.ts";

/** Requests of a report; a summary counts all. */
const SHOWN = 50;

const WORDS: Readonly<Record<ChangedRequest["change"], string>> = {
  allowed: "newly allowed",
  denied: "newly denied",
  moved: "moved",
};

function summaryOf({ prediction, requests, otherKinds }: BlastRadius): string {
  const { concerned, connected } = prediction.proxies;
  const counts = (["denied", "allowed", "moved"] as const).map((change) =>
    `${requests.changes.filter((one) => one.change === change).length} ${WORDS[change]}`
  );
  const more = requests.cut ? "; there are more requests, which were not compared" : "";
  const others = otherKinds === 0 ? "" : ` (${otherKinds} further kinds were not compared)`;
  return `${concerned} of ${connected} kinds of proxies are affected${others}; of ${requests.compared} ` +
    `requests ${counts.join(", ")}${more}.`;
}

/** The requests with another outcome, then the resources of each class of proxies. */
export function blastText(blast: BlastRadius): string {
  const { changes } = blast.requests;
  const lines = [
    summaryOf(blast),
    ...changes.slice(0, SHOWN).flatMap((one) => [
      `${WORDS[one.change]}: ${one.from} ${one.url}`,
      `    before: ${verdictLine(one.before)}`,
      `    after:  ${verdictLine(one.after)}`,
    ]),
    ...changes.length > SHOWN ? [`and ${changes.length - SHOWN} more requests`] : [],
  ];
  return neutral(`${lines.join("\n")}\n${renderPrediction(blast.prediction)}`);
}

/** For a comment on a change under review. */
export function blastMarkdown(blast: BlastRadius): string {
  const { prediction, requests } = blast;
  const rows = requests.changes.slice(0, SHOWN).map((one) =>
    row([WORDS[one.change], one.from, one.url, verdictLine(one.before), verdictLine(one.after)])
  );
  const resources = prediction.changes.slice(0, SHOWN).map(({ typeUrl, name, change, classes }) =>
    row([shortName(typeUrl), name, change, `${classes.length}`])
  );
  const edits = prediction.edits.map(({ object, change }) => `- \`${cell(object)}\` ${change}\n`);
  return neutral([
    `## Blast radius\n\n${summaryOf(blast)}\n\n${edits.join("")}\n`,
    ...table(["Request", "From", "URL", "Before", "After"], rows),
    ...table(["Resource", "Name", "Change", "Classes of proxies"], resources),
  ].join(""));
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
