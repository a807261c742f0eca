/**
 * Page of costs.
 *
 * @module
 */
import { shorten } from "../../../mesh/graph/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import type { ClassCost, CostView, ObjectCost } from "../costs.ts";
import { longTable } from "./collapse.ts";
import { debugPage, type Shell } from "./frame.ts";
import { h, size, tiles } from "./layout.ts";

/** `/debug/costs` as a page; `link` shows an object, given as `table/key`. */
export function costsPage(
  shell: Shell,
  costs: CostView,
  link: (ref: string) => ComponentChildren,
): Response {
  const { connects, shared, unattributed } = costs;
  return debugPage(shell, {
    title: "Costs",
    at: "/debug/costs",
    body: [
      tiles([
        ["total computation time", micros(costs.micros)],
        ["for connects and queries", micros(unattributed.micros)],
        ["sent to proxies that connected", size(connects.bytes)],
        ["sent for shared edits", size(shared.bytes)],
      ]),
      h("p", { class: "mute" }, [
        "The most expensive first; ",
        h("a", { href: "/debug/costs?top=100" }, "a hundred of each"),
        ". Edits in the same push are charged for the bytes of their own changes, and equal parts of the time.",
      ]),
      objectTable(costs.objects, link),
      namespaceTable(costs.namespaces),
      classTable(costs.classes),
      engineTable(costs.tables),
    ],
  });
}

/** Maximum number of shown characters of a key or of labels. */
const SHOWN = 80;

const MONEY = ["Time", "Computations", "Responses", "Sent"];

function spent(row: ObjectCost): ComponentChildren[] {
  return [micros(row.micros), tenths(row.computed), tenths(row.pushes), size(row.bytes)];
}

function objectTable(
  rows: readonly ObjectCost[],
  link: (ref: string) => ComponentChildren,
): ComponentChildren {
  return longTable({
    caption: "Most expensive objects, by the work for their edits",
    columns: ["Object", ...MONEY],
    rows: rows.map((row) => [link(row.name), ...spent(row)]),
    empty: "No edit has cost anything yet.",
  });
}

function namespaceTable(rows: readonly ObjectCost[]): ComponentChildren {
  return longTable({
    caption: "Most expensive namespaces",
    columns: ["Namespace", ...MONEY],
    rows: rows.map((row) => [
      row.name === ""
        ? "none"
        : h("a", { href: `/debug/objects?q=${encodeURIComponent(`${row.name}/`)}` }, row.name),
      ...spent(row),
    ]),
    empty: "No edit has cost anything yet.",
  });
}

function classTable(rows: readonly ClassCost[]): ComponentChildren {
  return longTable({
    caption: "Most expensive proxy classes",
    columns: ["Class", "Labels", "Connected", "Own time", "Responses", "Sent"],
    rows: rows.map((row) => [
      h(
        "a",
        { href: `/debug/proxies?q=${encodeURIComponent(`.${row.namespace}`)}` },
        `${row.role} in ${row.namespace}`,
      ),
      shorten(
        Object.entries(row.labels).map(([key, value]) => `${key}=${value}`).join(", "),
        SHOWN,
      ),
      row.proxies,
      micros(row.micros),
      row.pushes,
      size(row.bytes),
    ]),
    empty: "No response was sent yet.",
  });
}

function engineTable(rows: CostView["tables"]): ComponentChildren {
  return longTable({
    caption: "Most expensive tables of the engine",
    columns: ["Table", "Time", "Computations", "Cells", "Most expensive cells"],
    rows: rows.map((row) => [
      row.table,
      micros(row.micros),
      row.computed,
      row.cells,
      row.top.map((cell) =>
        h("div", null, [h("code", null, shorten(cell.key, SHOWN)), ` ${micros(cell.micros)}`])
      ),
    ]),
    empty: "No cell was computed yet.",
  });
}

function micros(value: number): string {
  return value < 1000 ? `${Math.round(value)} µs` : `${(value / 1000).toFixed(1)} ms`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
