/**
 * Page of explained requests.
 *
 * @module
 */
import type { QuestionFields } from "../../explain/mod.ts";
import {
  type Cause,
  detailsOf,
  doubtText,
  type ExplainedStep,
  type Explanation,
  type Hop,
  type Outcome,
  type Verdict,
  verdictLine,
  verdictOf,
} from "../../verdict/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { longList } from "./collapse.ts";
import { debugPage, type Shell } from "./frame.ts";
import { badge, h, proxyLink, refLink, table, type Tone } from "./layout.ts";
import { position } from "./positions.ts";

/** Content of the page. */
export interface RequestView {
  readonly fields: QuestionFields;
  /** Connected proxies. */
  readonly proxies: readonly string[];
  readonly answer: Explanation | { readonly error: string; readonly status: 400 | 404 } | undefined;
}

/** Renders the form, and the explanation of the request. */
export function requestPage(shell: Shell, { fields, proxies, answer }: RequestView): Response {
  const failed = answer !== undefined && "error" in answer;
  return debugPage(shell, {
    title: "Path of a request",
    at: "/debug/request",
    forms: true,
    status: failed ? answer.status : 200,
    body: [
      h(
        "p",
        { class: "mute" },
        "Computes the way of a request through the proxies from the configuration that they are " +
          "served. Nothing is sent.",
      ),
      form(fields, proxies),
      answer === undefined
        ? null
        : failed
        ? h("p", { class: "bad", role: "alert" }, `${answer.error}.`)
        : explanation(answer),
    ],
  });
}

function form(
  { from, url, method, headers = [], client }: QuestionFields,
  proxies: readonly string[],
): ComponentChildren {
  const field = (label: string, name: string, attributes: Readonly<Record<string, unknown>>) =>
    h("label", null, [label, h("input", { name, ...attributes })]);
  return h("form", { method: "get", action: "/debug/request" }, [
    h("label", null, [
      "First proxy",
      h("input", { name: "from", value: from, list: "proxies", accessKey: "f", size: 24 }),
      h("datalist", { id: "proxies" }, proxies.map((value) => h("option", { value }))),
    ]),
    field("URL", "url", { value: url, size: 40, placeholder: "http://HOST:PORT/PATH" }),
    field("Method", "method", { value: method, size: 8 }),
    field("Client of a gateway", "client", { value: client ?? "", size: 16 }),
    h("label", { class: "wide" }, [
      "Headers, one per line, as name: value",
      h("textarea", { name: "header", style: "min-height: 3.5rem", spellcheck: false }, [
        headers.join("\n"),
      ]),
    ]),
    h("button", { type: "submit" }, "Explain"),
  ]);
}

const VERDICTS: Readonly<Record<Verdict["outcome"], Tone>> = {
  allowed: "good",
  denied: "bad",
  unknown: "warn",
};

function explanation(answer: Explanation): ComponentChildren {
  const { hops, outcomes, assumptions, doubts, unmodelled } = answer;
  const verdict = verdictOf(answer);
  const notes = [
    ...doubts.map((one) => ["Not known", doubtText(one)]),
    ...unmodelled.map((one) => ["Not modelled", one]),
    ...assumptions.map((one) => ["Assumed", one]),
  ];
  return h("section", { "aria-label": "Explanation" }, [
    h("p", { class: "verdict", role: "status" }, [
      badge(verdict.outcome.toUpperCase(), VERDICTS[verdict.outcome]),
      " ",
      verdictLine(verdict).replace(/^[A-Z]+:? /, ""),
    ]),
    table({
      caption: "Outcome",
      columns: ["Outcome", "Share", "Last proxy", "Reason", "Cause"],
      rows: outcomes.map(outcomeRow),
      empty: "The request ends nowhere: nothing listens for it.",
    }),
    ...hops.map(hopTable),
    notes.length === 0 ? null : table({ caption: "Notes", columns: ["Kind", "Note"], rows: notes }),
  ]);
}

const TONES: Readonly<Record<Outcome["kind"], Tone>> = {
  reached: "good",
  answered: "plain",
  refused: "bad",
  unknown: "warn",
};

function outcomeRow({ kind, share, proxy, text, refusal }: Outcome): ComponentChildren[] {
  return [
    badge(kind, TONES[kind]),
    `${Math.round(share * 10_000) / 100} %`,
    proxyLink(proxy),
    text,
    causeList(refusal?.causes ?? []),
  ];
}

const DIRECTIONS: Readonly<Record<Hop["direction"], string>> = {
  outbound: "outbound",
  inbound: "inbound",
  gateway: "gateway",
  waypoint: "waypoint",
  "between networks": "through the gateway between networks",
};

function hopTable({ proxy, direction, destination, steps }: Hop): ComponentChildren {
  return table({
    caption: `${proxy}, ${DIRECTIONS[direction]}, to ${destination}`,
    columns: ["Step", "Resource", "Decision", "Cause"],
    rows: steps.map((step) => [
      step.step,
      h("code", null, step.name),
      decision(step),
      causeList(step.causes),
    ]),
    empty: "No step: nothing listens for this destination.",
  });
}

function decision(step: ExplainedStep): ComponentChildren {
  return [
    step.why,
    ...detailsOf(step).map((line) => h("div", { class: "mute" }, line)),
  ];
}

/** Links to objects, with field and position. */
function causeList(causes: readonly Cause[]): ComponentChildren {
  return longList(causes.map((one) => [
    one.object === undefined ? one.source : refLink(one.object),
    one.field === undefined ? null : [" ", h("code", null, one.field)],
    one.writtenIn === undefined ? null : ` of ${one.writtenIn.join(", ")}`,
    one.position === undefined ? null : [" ", position({ file: one.position })],
  ]));
}
