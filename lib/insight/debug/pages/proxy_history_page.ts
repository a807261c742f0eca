/**
 * Page of the history of one proxy: its answers, and the publications that changed its resources.
 *
 * @module
 */
import type { Revision } from "../../history/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { asksFor } from "../find.ts";
import type { DebugInputs } from "../inputs.ts";
import { proxyId } from "../proxies.ts";
import { longText } from "./collapse.ts";
import { debugPage, shellOf } from "./frame.ts";
import { ago, badge, count, facts, h, paged, pathOf, rowLink, table } from "./layout.ts";

/** A publication that changed resources of the proxy. */
interface Step {
  readonly revision: Revision;
  /** Short name of a type → number of its changed resources. */
  readonly changed: ReadonlyMap<string, number>;
  /** The first changed resources. */
  readonly names: readonly string[];
  /** True if the publication has more changes than are recorded. */
  readonly cut: boolean;
}

/** Shown names of changed resources, and shown edits. */
const NAMED = 3;

/** `/debug/proxies/:proxy/history`. */
export function proxyHistoryPage(
  inputs: DebugInputs,
  session: SessionInfo,
  url: URL,
): Response {
  const id = proxyId(session);
  const now = inputs.now();
  const steps = stepsOf(inputs.history.revisions(), session);
  const { part, pager } = paged(url, steps);
  const [newest, oldest] = [steps[0], steps.at(-1)];
  return debugPage(shellOf(inputs, url), {
    title: `History of ${id}`,
    at: "/debug/proxies",
    below: [[id, pathOf("proxies", id)]],
    body: [
      facts([
        ["Connected", [ago(session.connectedAt.getTime(), now), " ago"]],
        [
          "All changes",
          newest === undefined || oldest === undefined ? "none" : h(
            "a",
            { href: diffOf(id, oldest.revision.previous, newest.revision.revision) },
            `from revision ${oldest.revision.previous} to ${newest.revision.revision}`,
          ),
        ],
      ]),
      answerTable(session, now),
      table({
        caption: `Changes of its resources (${steps.length})`,
        columns: ["Revision", "Ago", "Edits", "Changed", "Resources", "Difference"],
        rows: part.map((step) => stepRow(step, id, now)),
        empty: "No recorded publication changed its resources. The proxy has what it was sent " +
          "when it connected.",
      }),
      pager,
    ],
  });
}

function diffOf(proxyID: string, from: number, to: number): string {
  return `/debug/history?${new URLSearchParams({ proxyID, from: `${from}`, to: `${to}` })}`;
}

/** Selects the publications whose changes are in layers of the proxy's views. */
function stepsOf(revisions: readonly Revision[], session: SessionInfo): Step[] {
  const layers = new Map<string, { short: string; asks: (name: string) => boolean }>();
  for (const { short, typeUrl, view } of session.types) {
    const asks = asksFor(session, typeUrl);
    for (const { name } of view?.layers ?? []) layers.set(name, { short, asks });
  }
  return revisions.flatMap((revision) => {
    const changed = new Map<string, number>();
    const names: string[] = [];
    for (const { collection, name } of revision.changes) {
      const layer = layers.get(collection);
      if (layer === undefined || !layer.asks(name)) continue;
      changed.set(layer.short, (changed.get(layer.short) ?? 0) + 1);
      if (names.length < NAMED) names.push(name);
    }
    const cut = revision.changed > revision.changes.length;
    return changed.size === 0 && !cut ? [] : [{ revision, changed, names, cut }];
  });
}

function stepRow(
  { revision: { revision, previous, at, edits, edited }, changed, names, cut }: Step,
  id: string,
  now: number,
): ComponentChildren[] {
  const total = [...changed.values()].reduce((sum, n) => sum + n, 0);
  return [
    h("a", { href: `/debug/history?revision=${revision}` }, String(revision)),
    ago(at, now),
    [
      ...edits.slice(0, NAMED).map((edit) => h("div", null, rowLink(edit))),
      edited > NAMED ? h("div", { class: "mute" }, `and ${edited - NAMED} more`) : null,
    ],
    [...changed].map(([short, n]) => `${n} ${short}`).join(", ") + (cut ? " or more" : ""),
    [
      ...names.map((name) => h("div", null, name)),
      total > names.length ? h("div", { class: "mute" }, `and ${total - names.length} more`) : null,
    ],
    h("a", { href: diffOf(id, previous, revision) }, "fields"),
  ];
}

/** The last response and answer of each type. */
function answerTable(session: SessionInfo, now: number): ComponentChildren {
  return table({
    caption: "Last responses and answers",
    columns: ["Type", "State", "Sent", "Acknowledged", "Rejected", "Message"],
    rows: session.types.map(({ short, state, sent, acked, nack }) => [
      short,
      [badge(state, state === "ERROR" ? "bad" : state === "SYNCED" ? "good" : "plain")],
      sent === undefined ? "never" : moment(sent, now),
      acked === undefined ? "never" : moment(acked, now),
      nack === undefined ? "" : [ago(nack.time, now), " ago"],
      nack === undefined ? "" : longText(nack.message, "bad"),
    ]),
    empty: `${count(0, "subscription", "subscriptions")}.`,
  });
}

function moment(
  { revision, time }: { readonly revision: number; readonly time: number },
  now: number,
): ComponentChildren {
  return [`revision ${revision}, `, ago(time, now), " ago"];
}
