/**
 * A verdict as text for people.
 *
 * @module
 */
import type { Ending, Step, Verdict } from "./verdict.ts";

/** The steps in order, the endings, and the parts that are not modelled. */
export function renderVerdict({ steps, endings, unmodelled }: Verdict): string {
  const width = Math.max(0, ...steps.map(({ stage }) => stage.length));
  return [
    ...steps.map((step) => `${step.stage.padEnd(width)}  ${line(step)}`),
    ...(steps.length === 0 ? [] : [""]),
    ...endings.map((ending) => `=> ${share(ending)}${says(ending)}`),
    ...unmodelled.map((what) => `not modelled: ${what}`),
    "",
  ].join("\n");
}

function line({ name, why }: Step): string {
  return `${name}: ${why}`;
}

function share({ share: part }: Ending): string {
  return part === 1 ? "" : `${Math.round(part * 10_000) / 100} %: `;
}

function says(ending: Ending): string {
  switch (ending.kind) {
    case "answered": {
      const to = ending.location === undefined ? "" : `, to ${ending.location}`;
      return `answered ${ending.status} by ${ending.by}: ${ending.why}${to}`;
    }
    case "closed":
      return `closed by ${ending.by}: ${ending.why}`;
    case "undecided":
      return `not known: ${ending.why}`;
    case "forwarded": {
      const { request, upstream: { endpoints } } = ending;
      const [first] = endpoints;
      const more = endpoints.length > 1 ? ` and ${endpoints.length - 1} more` : "";
      const what = request === undefined ? "" : `, ${request.host}${request.path}`;
      return `${ending.as} to ${ending.cluster} (${first?.address ?? "nowhere"}${more}${what})`;
    }
  }
}
