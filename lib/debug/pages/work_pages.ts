/**
 * Pages of the daemon's work: pushes, costs, faults.
 *
 * @module
 */
import { type Fault, showRow } from "../../graph/mod.ts";
import { type ComponentChildren, json, type Route } from "../../web/mod.ts";
import { messageOf } from "../../base/mod.ts";
import { debugRoute } from "../access.ts";
import type { DebugInputs } from "../inputs.ts";
import type { Publication } from "../pushes.ts";
import { costView } from "../costs.ts";
import { costsPage } from "./costs_page.ts";
import {
  debugPage,
  filter,
  h,
  paged,
  refLink,
  rowLink,
  size,
  span,
  table,
  wantsPage,
} from "./layout.ts";

/** `/debug/pushes`, `/debug/costs`, `/debug/faults`. */
export function workPages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/pushes", ({ url, request }) => {
      const list = inputs.pushes();
      return wantsPage(request) ? pushesPage(list, inputs.now(), url) : json(list);
    }),
    debugRoute("GET", "/debug/costs", ({ request, url }) => {
      const costs = costView(inputs, url);
      return wantsPage(request) ? costsPage(costs) : json(costs);
    }),
    debugRoute("GET", "/debug/faults", ({ url }) => faultsPage(inputs, url)),
  ];
}

function pushesPage(list: readonly Publication[], now: number, url: URL): Response {
  const { part, pager } = paged(url, list);
  return debugPage({
    title: "Pushes",
    at: "/debug/pushes",
    body: [
      h(
        "p",
        { class: "mute" },
        "Pushes of changes, the newest first. First responses to new connections are not included.",
      ),
      pushTable(part, now),
      pager,
    ],
  });
}

/** A table of pushes. */
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
      span(now - one.time),
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
    empty: "No push while a proxy was connected.",
  });
}

/** Maximum number of named edits in a row. */
const NAMED = 3;

function edits({ edits, editCount }: Publication): ComponentChildren {
  if (editCount === undefined) return "more edits than are recorded";
  const named = edits.slice(0, NAMED).map((edit) =>
    h("div", null, [edit.kind === "delete" ? `${showRow(edit)} removed` : rowLink(edit)])
  );
  const more = editCount - named.length;
  return [...named, more > 0 ? h("div", { class: "mute" }, `and ${more} more`) : null];
}

function faultsPage(inputs: DebugInputs, url: URL): Response {
  const q = url.searchParams.get("q") ?? "";
  const all = inputs.mesh.graph.faults();
  const found = all.filter((f) => `${showRow(f)} ${f.inputs.join(" ")}`.includes(q));
  const { part, pager } = paged(url, found);
  return debugPage({
    title: "Faults",
    at: "/debug/faults",
    forms: true,
    body: [
      h(
        "p",
        { class: "mute" },
        "Computations that failed. Their last good values stay in use; everything else continues.",
      ),
      filter(url),
      table({
        caption: `${found.length} of ${all.length} faults`,
        columns: ["Computation", "Error", "Since revision", "Serves", "From"],
        rows: part.map(faultRow),
        empty: "No computation fails.",
      }),
      pager,
      problems(inputs),
    ],
  });
}

/** Maximum number of named rows of a fault. */
const INPUTS = 5;

function faultRow(fault: Fault): ComponentChildren[] {
  return [
    h("code", null, showRow(fault, 80)),
    h("span", { class: "bad" }, messageOf(fault.error)),
    fault.since,
    fault.lastGood ? "last good value" : "nothing",
    fault.inputs.slice(0, INPUTS).map((row) => h("div", null, refLink(row))),
  ];
}

/** Shows rejected documents with remedies. */
export function problems(inputs: DebugInputs): ComponentChildren {
  const list = inputs.problems();
  return table({
    caption: `Rejected documents (${list.length})`,
    columns: ["Position", "Field", "Problem", "Remedy"],
    rows: list.slice(0, 100).map((p) => [
      h("code", null, `${p.file}:${p.line}:${p.column}`),
      p.path,
      p.message,
      p.remedy,
    ]),
    empty: "No document is rejected.",
  });
}
