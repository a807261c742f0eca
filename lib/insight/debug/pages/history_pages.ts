/**
 * Pages of one push, of differences of a proxy between two revisions, and of the audit.
 *
 * @module
 */
import { objectOfRow } from "../../../mesh/model/mod.ts";
import { showRow } from "../../../mesh/graph/mod.ts";
import type { FieldChange } from "../../diff/mod.ts";
import type { AuditSummary, Revision } from "../../history/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { proxyId } from "../proxies.ts";
import { changeBadge, fieldList } from "./changes.ts";
import { longTable } from "./collapse.ts";
import { debugPage, type Shell } from "./frame.ts";
import { ago, count, facts, h, pathOf, refLink, rowLink, table, tiles } from "./layout.ts";

/** A resource of a proxy that differs between two revisions. */
export interface ProxyChange {
  readonly short: string;
  readonly typeUrl: string;
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly fields: readonly FieldChange[];
}

/** Maximum number of proxies with a link to their differences. */
const PROXIES = 20;

/** Page of one push: its edits and changed resources. */
export function revisionPage(shell: Shell, inputs: DebugInputs, one: Revision): Response {
  const { revision, previous, at, edits, edited, changes, changed } = one;
  const layers = new Set(changes.map((c) => c.collection));
  const seen = seenBy(inputs, layers);
  const concerned = inputs.sessions().filter((session) => hasLayer(session, layers));
  return debugPage(shell, {
    title: `Revision ${revision}`,
    at: "/debug/pushes",
    below: [],
    body: [
      facts([
        ["Published", [`${new Date(at).toISOString()}, `, ago(at, shell.now), " ago"]],
        [
          "Previous revision",
          inputs.history.revision(previous) === undefined
            ? previous
            : h("a", { href: `/debug/history?revision=${previous}` }, previous),
        ],
        ["Rows edited", edited],
        ["Resources changed", changed],
      ]),
      longTable({
        caption: `Edits (${edited})`,
        columns: ["Row", "Edit"],
        rows: edits.map((e) => [
          e.kind === "delete" ? showRow(objectOfRow(e)) : rowLink(e),
          e.kind === "delete" ? "removed" : "set",
        ]),
      }),
      longTable({
        caption: `Resources (${changed})`,
        columns: ["Resource", "Change", "In the layer"],
        rows: changes.map((c) => [
          c.after === undefined ? c.name : seenLink(seen.get(c.collection), c.name),
          changeBadge(
            c.before === undefined ? "added" : c.after === undefined ? "removed" : "changed",
          ),
          h("code", null, c.collection),
        ]),
        empty: "No resource that a proxy is subscribed to.",
      }),
      h("h2", null, `Differences for each of ${count(concerned.length, "proxy", "proxies")}`),
      concerned.length === 0 ? h("p", null, "No connected proxy has these resources.") : h(
        "ul",
        { class: "list" },
        concerned.slice(0, PROXIES).map((session) => {
          const query = { proxyID: proxyId(session), from: `${previous}`, to: `${revision}` };
          const href = `/debug/history?${new URLSearchParams(query)}`;
          return h("li", null, h("a", { href }, proxyId(session)));
        }),
      ),
      concerned.length > PROXIES
        ? h("p", { class: "mute" }, `The first ${PROXIES}; each proxy's page has its history.`)
        : null,
    ],
  });
}

function hasLayer({ types }: SessionInfo, layers: ReadonlySet<string>): boolean {
  return types.some(({ view }) => view?.layers.some(({ name }) => layers.has(name)));
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
  shell: Shell,
  session: SessionInfo,
  { from, to, changes }: {
    readonly from: number;
    readonly to: number;
    readonly changes: readonly ProxyChange[];
  },
): Response {
  const id = proxyId(session);
  return debugPage(shell, {
    title: `From revision ${from} to ${to}`,
    at: "/debug/proxies",
    below: [[id, pathOf("proxies", id)], ["history", pathOf("proxies", id, "history")]],
    body: [
      longTable({
        caption: `Resources that differ (${changes.length})`,
        columns: ["Type", "Resource", "Change", "Fields"],
        rows: changes.map(({ short, name, change, fields }) => [
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

export function auditPage(shell: Shell, summary: AuditSummary): Response {
  const { audited, skipped, differences, passes, reports } = summary;
  return debugPage(shell, {
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
          ago(r.at, shell.now),
          String(r.revision),
          r.wrong.length,
          r.origins.slice(0, 5).map((row) => h("div", null, refLink(row))),
        ]),
        empty: "All checked cells are equal to a computation from scratch.",
      }),
    ],
  });
}
