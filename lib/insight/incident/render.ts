import { flagMeanings } from "./flags.ts";
import type { Acceptance, DecidingObject, Edit, Incident } from "./incident.ts";

/** Lines of a screen that a part may take. */
const SHOWN = 4;

/** An incident as text, of the height of a screen. */
export function renderIncident(incident: Incident): string {
  const { evidence, from, now, then, agrees, objects, edit, undo, unknown } = incident;
  const lines = [
    `Request   ${evidence.method} ${evidence.url}`,
    `from      ${from} (${evidence.form})`,
    ...seenLines(incident),
    ...then === undefined ? [] : [`then      ${then}`],
    `now       ${now}`,
    ...agrees ? [] : ["          The log shows another outcome than this configuration gives."],
    "",
    ...part("Decided by", objects.map(objectLine)),
    ...part("Made so by", edit === undefined ? [] : editLines(edit)),
    ...part("Accepted by", edit?.accepted.map(acceptanceLine) ?? []),
    ...part("Undone by", undo),
    ...part("Not known", unknown),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function seenLines({ evidence: { seen } }: Incident): string[] {
  if (seen === undefined) return [];
  const { at, status, flags, details } = seen;
  const time = at === undefined ? "" : `${new Date(at).toISOString()} `;
  const parts = [...flagMeanings(flags), ...details].join("; ");
  return [`seen      ${time}${status === undefined ? "" : `status ${status}`} ${parts}`.trimEnd()];
}

function part(title: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, SHOWN);
  const more = lines.length - shown.length;
  return lines.length === 0
    ? []
    : [title, ...shown.map((line) => `  ${line}`), ...more > 0 ? [`  and ${more} more`] : []];
}

function objectLine({ object, position, without }: DecidingObject): string {
  const at = position === undefined ? "" : ` at ${position}`;
  return `${object}${at}${without === undefined ? "" : `; without it: ${without}`}`;
}

function editLines({ revision, at, edits, before }: Edit): string[] {
  return [
    `revision ${revision}, since ${new Date(at).toISOString()}: ${
      edits.slice(0, SHOWN).join(", ")
    }`,
    `before it: ${before ?? "not known; it is the latest edit of the deciding object"}`,
  ];
}

function acceptanceLine({ object, concerned, acknowledged, others }: Acceptance): string {
  const rest = others.length === 0 ? "" : `; ${others.slice(0, SHOWN).join(", ")}`;
  return `${acknowledged} of ${concerned} proxies that ${object} concerns${rest}`;
}
