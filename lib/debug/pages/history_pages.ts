/**
 * Pages of one push, of differences of a proxy between two revisions, and of the audit.
 *
 * @module
 */
import { showRow } from "../../graph/mod.ts";
import type { FieldChange } from "../../diff/mod.ts";
import type { AuditSummary, Revision } from "../../history/mod.ts";
import type { SessionInfo } from "../../serve/mod.ts";
import type { ComponentChildren } from "../../web/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { proxyId } from "../proxies.ts";
import { changeBadge, fieldList } from "./changes.ts";
import { debugPage, facts, h, pathOf, refLink, rowLink, span, table, tiles } from "./layout.ts";

/** A resource of a proxy that differs between two revisions. */
export interface ProxyChange {
  readonly short: string;
  readonly typeUrl: string;
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly fields: readonly FieldChange[];
}

/** Maximum number of rows of a list; the JSON has up to a thousand. */
const ROWS = 200;
/** Maximum number of proxies with a link to their differences. */
const PROXIES = 20;

/** Page of one push: its edits and changed resources. */
export function revisionPage(inputs: DebugInputs, one: Revision): Response {
  const { revision, previous, at, edits, edited, changes, changed } = one;
  const seen = seenBy(inputs, new Set(changes.slice(0, ROWS).map((c) => c.collection)));
  return debugPage({
    title: `Revision ${revision}`,
    at: "/debug/pushes",
    below: [],
    body: [
      facts([
        ["Published", `${new Date(at).toISOString()}, ${span(inputs.now() - at)} ago`],
        ["Previous revision", h("a", { href: `/debug/history?revision=${previous}` }, previous)],
        ["Rows edited", edited],
        ["Resources changed", changed],
      ]),
      table({
        caption: `Edits (${edited})`,
        columns: ["Row", "Edit"],
        rows: edits.slice(0, ROWS).map((e) => [
          e.kind === "delete" ? showRow(e) : rowLink(e),
          e.kind === "delete" ? "removed" : "set",
        ]),
      }),
      table({
        caption: `Resources (${changed})`,
        columns: ["Resource", "Change", "In the layer"],
        rows: changes.slice(0, ROWS).map((c) => [
          c.after === undefined ? c.name : seenLink(seen.get(c.collection), c.name),
          changeBadge(
            c.before === undefined ? "added" : c.after === undefined ? "removed" : "changed",
          ),
          h("code", null, c.collection),
        ]),
        empty: "No resource that a proxy is subscribed to.",
      }),
      h("h2", null, "Changes for a proxy"),
      h(
        "ul",
        { class: "list" },
        inputs.sessions().slice(0, PROXIES).map((session) => {
          const query = { proxyID: proxyId(session), from: `${previous}`, to: `${revision}` };
          const href = `/debug/history?${new URLSearchParams(query)}`;
          return h("li", null, h("a", { href }, proxyId(session)));
        }),
      ),
    ],
  });
}

/** A proxy that has a layer in its view, and the short name of the layer's type. */
type Seen = readonly [proxy: string, type: string];

/** Returns the first proxy for each layer. */
function seenBy(
  { sessions }: DebugInputs,
  layers: ReadonlySet<string>,
): ReadonlyMap<string, Seen> {
  const found = new Map<string, Seen>();
  for (const session of sessions()) {
    for (const { short, view } of session.types) {
      for (const { name } of view?.layers ?? []) {
        if (layers.has(name) && !found.has(name)) found.set(name, [proxyId(session), short]);
      }
    }
    if (found.size === layers.size) break;
  }
  return found;
}

function seenLink(seen: Seen | undefined, name: string): ComponentChildren {
  return seen === undefined ? name : h("a", { href: pathOf("proxies", ...seen, name) }, name);
}

/** Page of the differences of a proxy between two revisions. */
export function changesPage(
  session: SessionInfo,
  from: number,
  to: number,
  changes: readonly ProxyChange[],
): Response {
  const id = proxyId(session);
  return debugPage({
    title: `From revision ${from} to ${to}`,
    at: "/debug/proxies",
    below: [[id, pathOf("proxies", id)]],
    body: [
      table({
        caption: `Resources that differ (${changes.length})`,
        columns: ["Type", "Resource", "Change", "Fields"],
        rows: changes.slice(0, ROWS).map(({ short, name, change, fields }) => [
          short,
          change === "removed" ? name : h("a", { href: pathOf("proxies", id, short, name) }, name),
          changeBadge(change),
          fieldList(change, fields),
        ]),
        empty: "No resource that the proxy sees.",
      }),
    ],
  });
}

/** Page of the audit. */
export function auditPage(summary: AuditSummary, now: number): Response {
  const { audited, skipped, differences, passes, reports } = summary;
  return debugPage({
    title: "Audit",
    at: "/debug/audit",
    body: [
      h(
        "p",
        { class: "mute" },
        "In the background, every cell is computed again and compared with the stored value. A cell that differs is repaired and published.",
      ),
      tiles([
        ["cells checked", audited],
        ["could not be checked", skipped],
        ["complete passes", passes],
        ["differences", differences, undefined, differences > 0],
      ]),
      table({
        caption: `Differences (${reports.length})`,
        columns: ["Cell", "Ago", "Revision", "Wrong", "Made from"],
        rows: reports.map((r) => [
          h("code", null, showRow(r.cell, 120)),
          span(now - r.at),
          String(r.revision),
          r.wrong.length,
          r.origins.slice(0, 5).map((row) => h("div", null, refLink(row))),
        ]),
        empty: "All checked cells are equal to a computation from scratch.",
      }),
    ],
  });
}
