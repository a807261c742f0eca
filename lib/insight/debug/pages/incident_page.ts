/**
 * Page of an incident.
 *
 * @module
 */
import { flagMeanings, type Incident } from "../../incident/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { debugPage, type Shell } from "./frame.ts";
import { badge, facts, h, proxyLink, refLink, table, type Tone } from "./layout.ts";

/** Content of the page. */
export interface IncidentView {
  readonly evidence: string;
  readonly from: string;
  /** Connected proxies. */
  readonly proxies: readonly string[];
  readonly answer: Incident | { readonly error: string; readonly status: 400 | 404 } | undefined;
}

/** Renders the form, and the answer about the incident. */
export function incidentPage(shell: Shell, view: IncidentView): Response {
  const { answer } = view;
  const failed = answer !== undefined && "error" in answer;
  return debugPage(shell, {
    title: "Incident",
    at: "/debug/incident",
    forms: true,
    status: failed ? answer.status : 200,
    body: [
      h(
        "p",
        { class: "mute" },
        "From a request that failed to the object that decides it, the edit that made it so, and " +
          "what undoes it. Nothing is sent.",
      ),
      form(view),
      answer === undefined
        ? null
        : failed
        ? h("p", { class: "bad", role: "alert" }, `${answer.error}.`)
        : incidentPart(answer),
    ],
  });
}

function form({ evidence, from, proxies }: IncidentView): ComponentChildren {
  return h("form", { method: "get", action: "/debug/incident" }, [
    h("label", { class: "wide" }, [
      "A curl command line, or a line of an access log (text or JSON)",
      h(
        "textarea",
        { name: "text", style: "min-height: 5rem", spellcheck: false, accessKey: "f" },
        evidence,
      ),
    ]),
    h("label", null, [
      "First proxy, if the line does not tell",
      h("input", { name: "from", value: from, list: "proxies", size: 24 }),
      h("datalist", { id: "proxies" }, proxies.map((value) => h("option", { value }))),
    ]),
    h("button", { type: "submit" }, "Find the cause"),
  ]);
}

const TONES: Readonly<Record<Incident["outcome"], Tone>> = {
  allowed: "good",
  denied: "bad",
  unknown: "warn",
};

function incidentPart(incident: Incident): ComponentChildren {
  const { evidence: { method, url, seen }, from, now, then, outcome, agrees, edit } = incident;
  const rows: [string, ComponentChildren][] = [
    ["Request", h("code", null, `${method} ${url}`)],
    ["From", proxyLink(from)],
  ];
  if (seen !== undefined) {
    const said = [...flagMeanings(seen.flags), ...seen.details].join("; ");
    rows.push(["Seen", `${seen.status === undefined ? "" : `status ${seen.status} `}${said}`]);
  }
  if (then !== undefined) rows.push(["Then", then]);
  rows.push(["Now", [badge(outcome, TONES[outcome]), ` ${now}`]]);
  if (!agrees) rows.push(["Log", "shows another outcome than this configuration gives"]);
  if (edit !== undefined) {
    const revision = h(
      "a",
      { href: `/debug/history?revision=${edit.revision}` },
      `revision ${edit.revision}`,
    );
    rows.push(["Made so by", [revision, `: ${edit.edits.join(", ")}`]]);
    rows.push(["Since", h("time", null, new Date(edit.at).toISOString())]);
    rows.push(["Before", edit.before ?? "not known; it is the latest edit of the deciding object"]);
  }
  return h("section", { "aria-label": "Cause" }, [facts(rows), ...tables(incident)]);
}

function tables({ objects, edit, undo, unknown }: Incident): ComponentChildren[] {
  const list = (caption: string, lines: readonly string[]) =>
    lines.length === 0
      ? null
      : table({ caption, columns: [caption], rows: lines.map((line) => [line]) });
  return [
    objects.length === 0 ? null : table({
      caption: "Deciding objects",
      columns: ["Object", "Position", "Without it"],
      rows: objects.map(({ object, position = "", without = "" }) => [
        refLink(object),
        h("code", null, position),
        without,
      ]),
    }),
    edit === undefined || edit.accepted.length === 0 ? null : table({
      caption: "Accepted by",
      columns: ["Edit of", "Concerned", "Acknowledged", "Others"],
      rows: edit.accepted.map(({ object, concerned, acknowledged, others }) => [
        refLink(object),
        `${concerned}`,
        `${acknowledged}`,
        others.join(", "),
      ]),
    }),
    list("Undone by", undo),
    list("Not known", unknown),
  ];
}
