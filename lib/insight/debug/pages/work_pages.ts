/**
 * Pages of the daemon's work: pushes, costs, faults.
 *
 * @module
 */
import { objectOfRow } from "../../../mesh/model/mod.ts";
import { type Fault, showRow } from "../../../mesh/graph/mod.ts";
import { type ComponentChildren, json, type Route } from "../../../kit/web/mod.ts";
import { messageOf } from "../../../kit/base/mod.ts";
import { debugRoute } from "../access.ts";
import type { DebugInputs } from "../inputs.ts";
import type { Publication } from "../pushes.ts";
import { costView } from "../costs.ts";
import { costsPage } from "./costs_page.ts";
import { presentLinks } from "./present.ts";
import { longList, longText } from "./collapse.ts";
import { debugPage, type Shell, shellOf } from "./frame.ts";
import { mistakeTable, rejectedDocuments, warningTable } from "./problem_tables.ts";
import { ago, filter, h, paged, rowLink, size, span, table, wantsPage } from "./layout.ts";

/** `/debug/pushes`, `/debug/costs`, `/debug/faults`. */
export function workPages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/pushes", ({ url, request }) => {
      const list = inputs.pushes();
      return wantsPage(request) ? pushesPage(shellOf(inputs, url), list) : json(list);
    }),
    debugRoute("GET", "/debug/costs", ({ request, url }) => {
      const costs = costView(inputs, url);
      return wantsPage(request)
        ? costsPage(shellOf(inputs, url), costs, presentLinks(inputs))
        : json(costs);
    }),
    debugRoute("GET", "/debug/faults", ({ url }) => faultsPage(inputs, url)),
  ];
}

function pushesPage(shell: Shell, list: readonly Publication[]): Response {
  const { part, pager } = paged(shell.url, list);
  return debugPage(shell, {
    title: "Pushes",
    at: "/debug/pushes",
    body: [
      h(
        "p",
        { class: "mute" },
        "Pushes of changes, the newest first. First responses to new connections are not included.",
      ),
      pushTable(part, shell.now),
      pager,
    ],
  });
}

export function pushTable(list: readonly Publication[], now: number): ComponentChildren {
  return table({
    caption: `Pushes (${list.length})`,
    columns: [
      "Revision",
      "Ago",
      "Cause",
      "Affected proxies",
      "Resources",
      "Removed",
      "Sent",
      "Answers",
      "Time to last response",
    ],
    rows: list.map((one) => [
      h("a", { href: `/debug/history?revision=${one.revision}` }, String(one.revision)),
      ago(one.time, now),
      edits(one),
      one.concerned,
      one.resources,
      one.removed,
      size(one.bytes),
      one.rejected === 0
        ? `${one.acknowledged} of ${one.responses}`
        : h("span", { class: "bad" }, `${one.rejected} rejected of ${one.responses}`),
      one.tookMs === undefined ? "" : span(one.tookMs),
    ]),
    empty: "No change was pushed yet. Edit a file of the configuration directory to see one.",
  });
}

/** Maximum number of named edits in a row. */
const NAMED = 3;

function edits({ edits, editCount }: Publication): ComponentChildren {
  if (editCount === undefined) return "more edits than are recorded";
  const named = edits.slice(0, NAMED).map((edit) =>
    h("div", null, [
      edit.kind === "delete" ? `${showRow(objectOfRow(edit))} removed` : rowLink(edit),
    ])
  );
  const more = editCount - named.length;
  return [...named, more > 0 ? h("div", { class: "mute" }, `and ${more} more`) : null];
}

function faultsPage(inputs: DebugInputs, url: URL): Response {
  const q = url.searchParams.get("q") ?? "";
  const all = inputs.mesh.graph.faults();
  const found = all.filter((f) => `${showRow(f)} ${f.inputs.join(" ")}`.includes(q));
  const { part, pager } = paged(url, found);
  const { problems, warnings, analysis, now } = inputs;
  const link = presentLinks(inputs);
  return debugPage(shellOf(inputs, url), {
    title: "Problems",
    at: "/debug/faults",
    forms: true,
    body: [
      rejectedDocuments(`Rejected documents (${problems().length})`, problems(), now()),
      mistakeTable(`Likely mistakes (${analysis().length})`, analysis()),
      warningTable(warnings()),
      h("h2", null, "Failed computations"),
      h(
        "p",
        { class: "mute" },
        "Their last good values stay in use; everything else continues.",
      ),
      filter(url),
      table({
        caption: `${found.length} of ${all.length} faults`,
        columns: ["Computation", "Error", "Since revision", "Serves", "From"],
        rows: part.map((fault) => faultRow(fault, link)),
        empty: "No computation fails.",
      }),
      pager,
    ],
  });
}

/** Maximum number of named rows of a fault. */
const INPUTS = 50;

function faultRow(fault: Fault, link: (ref: string) => ComponentChildren): ComponentChildren[] {
  return [
    h("code", null, showRow(fault, 80)),
    longText(messageOf(fault.error), "bad"),
    fault.since,
    fault.lastGood ? "last good value" : "nothing",
    longList(fault.inputs.slice(0, INPUTS).map(link)),
  ];
}
