/**
 * What everything costs, for people.
 *
 * @module
 */
import type { ComponentChildren } from "../../web/mod.ts";
import type { ClassCost, CostView, ObjectCost } from "../costs.ts";
import { debugPage, h, rowLink, size, table, tiles } from "./layout.ts";

/** `/debug/costs` as a page. */
export function costsPage(costs: CostView): Response {
  const { connects, shared, unattributed } = costs;
  return debugPage({
    title: "Costs",
    at: "/debug/costs",
    body: [
      tiles([
        ["computing in all", micros(costs.micros)],
        ["of it for connects and questions", micros(unattributed.micros)],
        ["sent to proxies that connected", size(connects.bytes)],
        ["sent for edits not told apart", size(shared.bytes)],
      ]),
      h("p", { class: "mute" }, [
        "The dearest first; ",
        h("a", { href: "/debug/costs?top=100" }, "a hundred of each"),
        ". Edits that were published together bear the bytes of what each changed, and equal parts of the time.",
      ]),
      objectTable(costs.objects),
      namespaceTable(costs.namespaces),
      classTable(costs.classes),
      engineTable(costs.tables),
    ],
  });
}

const MONEY = ["Time", "Computations", "Responses", "Sent"];

function spent(row: ObjectCost): ComponentChildren[] {
  return [micros(row.micros), tenths(row.computed), tenths(row.pushes), size(row.bytes)];
}

function objectTable(rows: readonly ObjectCost[]): ComponentChildren {
  return table({
    caption: "Dearest objects: what their edits made necessary",
    columns: ["Object", ...MONEY],
    rows: rows.map((row) => {
      const slash = row.name.indexOf("/");
      return [rowLink(row.name.slice(0, slash), row.name.slice(slash + 1)), ...spent(row)];
    }),
    empty: "No edit has cost anything yet.",
  });
}

function namespaceTable(rows: readonly ObjectCost[]): ComponentChildren {
  return table({
    caption: "Dearest namespaces of objects",
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
  return table({
    caption: "Dearest classes of proxies",
    columns: ["Class", "Labels", "Connected", "Own time", "Responses", "Sent"],
    rows: rows.map((row) => [
      h(
        "a",
        { href: `/debug/proxies?q=${encodeURIComponent(`.${row.namespace}`)}` },
        `${row.role} in ${row.namespace}`,
      ),
      cut(Object.entries(row.labels).map(([key, value]) => `${key}=${value}`).join(", ")),
      row.proxies,
      micros(row.micros),
      row.pushes,
      size(row.bytes),
    ]),
    empty: "Nobody was sent anything yet.",
  });
}

function engineTable(rows: CostView["tables"]): ComponentChildren {
  return table({
    caption: "Dearest tables of the engine",
    columns: ["Table", "Time", "Computations", "Cells", "Dearest cells"],
    rows: rows.map((row) => [
      row.table,
      micros(row.micros),
      row.computed,
      row.cells,
      row.top.map((cell) =>
        h("div", null, [h("code", null, cut(cell.key)), ` ${micros(cell.micros)}`])
      ),
    ]),
    empty: "Nothing was computed yet.",
  });
}

function micros(value: number): string {
  return value < 1000 ? `${Math.round(value)} µs` : `${(value / 1000).toFixed(1)} ms`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Keys of classes are whole documents. */
export function cut(key: string): string {
  return key.length <= 80 ? key : `${key.slice(0, 79)}…`;
}
