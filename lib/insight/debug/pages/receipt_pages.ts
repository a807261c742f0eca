/**
 * Pages of receipts and of the quarantine.
 *
 * @module
 */
import { objectKey, xdsType } from "../../../mesh/model/mod.ts";
import { showRow } from "../../../mesh/graph/mod.ts";
import type { Receipt } from "../../receipts/mod.ts";
import type { Quarantined } from "../../../mesh/xds/mod.ts";
import { type ComponentChildren, json, type Route, text } from "../../../kit/web/mod.ts";
import { debugRoute } from "../access.ts";
import type { DebugInputs } from "../inputs.ts";
import { streamProxy } from "../troubles.ts";
import { longList, longText } from "./collapse.ts";
import { debugPage, shellOf } from "./frame.ts";
import {
  ago,
  badge,
  filter,
  h,
  paged,
  pathOf,
  proxyLink,
  refLink,
  rowLink,
  span,
  table,
  wantsPage,
} from "./layout.ts";

/** `/debug/receipts` and `/debug/quarantine`: pages for browsers, JSON for other clients. */
export function receiptPages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/receipts", ({ url, request }) => {
      const found = receiptsFor(inputs, url);
      if (found === undefined) {
        return text("give the object as ?resource=Kind/namespace/name\n", { status: 400 });
      }
      return wantsPage(request) ? receiptsPage(inputs, found, url) : json(found);
    }),
    debugRoute("GET", "/debug/quarantine", ({ url, request }) => {
      const list = inputs.quarantined();
      return wantsPage(request)
        ? quarantinePage(inputs, url)
        : json(list.map(({ lastGood, ...rest }) => ({ ...rest, lastGood: lastGood?.version })));
    }),
  ];
}

/** Default maximum number of receipts. */
const MOST = 500;

/**
 * Returns the receipts of the requested object, otherwise the newest of all; `undefined` for an
 * invalid name.
 */
function receiptsFor({ receipts }: DebugInputs, url: URL): readonly Receipt[] | undefined {
  const resource = url.searchParams.get("resource") ?? "";
  if (resource === "") return receipts.latest(MOST);
  const [kind, namespace, name, ...rest] = resource.split("/");
  if (kind === undefined || namespace === undefined || name === undefined || rest.length > 0) {
    return undefined;
  }
  return receipts.of(kind, namespace, name);
}

function receiptsPage(inputs: DebugInputs, all: readonly Receipt[], url: URL): Response {
  const q = url.searchParams.get("q") ?? "";
  const found = all.filter((r) => showRow({ table: r.kind, key: objectKey(r) }).includes(q));
  const { part, pager } = paged(url, found);
  return debugPage(shellOf(inputs, url), {
    title: "Receipts",
    at: "/debug/receipts",
    forms: true,
    body: [
      h("p", { class: "mute" }, "Delivery of edits to the affected proxies, newest first."),
      filter(url),
      receiptTable(part, inputs.now()),
      pager,
    ],
  });
}

export function receiptTable(
  list: readonly Receipt[],
  now: number,
  caption = `Receipts (${list.length})`,
): ComponentChildren {
  return table({
    caption,
    columns: ["Edit", "Generation", "Ago", "Resources", "Proxies", "State", "Half by", "99% by"],
    rows: list.map((r) => [
      rowLink({ table: r.kind, key: objectKey(r) }),
      r.generation ?? "removed",
      ago(r.publishedAt, now),
      r.resourceCount,
      r.sessions.concerned,
      state(r),
      r.p50Ms === undefined ? "" : span(r.p50Ms),
      r.p99Ms === undefined ? "" : span(r.p99Ms),
    ]),
    empty: "No edit was recorded since the daemon started.",
  });
}

function state({ sessions, complete, streams }: Receipt): ComponentChildren {
  const { acknowledged, pending, rejected, withheld, concerned } = sessions;
  if (concerned === 0) return badge("no affected proxy", "plain");
  if (rejected > 0) {
    return badge(`${rejected} rejected`, "bad", streams.find((s) => s.message)?.message);
  }
  if (withheld > 0) return badge(`withheld from ${withheld}`, "warn");
  if (!complete) return badge(`${pending} pending`, "warn");
  return badge(acknowledged === concerned ? "all acknowledged" : "settled", "good");
}

function quarantinePage(inputs: DebugInputs, url: URL): Response {
  const list = inputs.quarantined();
  const { part, pager } = paged(url, list);
  return debugPage(shellOf(inputs, url), {
    title: "Quarantine",
    at: "/debug/quarantine",
    body: [
      h(
        "p",
        { class: "mute" },
        "Resource versions that are withheld from proxies that rejected them. Other resources and other proxies are not affected. A change of the configuration ends the quarantine. A version is sent again at growing intervals.",
      ),
      table({
        caption: `Quarantined (${list.length})`,
        columns: [
          "Resource",
          "Rejected by",
          "Accepted by",
          "Message of the proxy",
          "Duration",
          "Next retry in",
          "Served instead",
          "From",
        ],
        rows: part.map((one) => row(one, inputs)),
        empty: "Nothing is quarantined: proxies accept all resources.",
      }),
      pager,
    ],
  });
}

function row(one: Quarantined, inputs: DebugInputs): ComponentChildren[] {
  const now = inputs.now();
  const { short } = xdsType(one.typeUrl);
  const proxies = one.streams.map((id) => streamProxy(inputs, id));
  const [first] = proxies;
  return [
    [
      `${short} `,
      first === undefined
        ? one.name
        : h("a", { href: pathOf("proxies", first, short, one.name) }, one.name),
    ],
    [
      longList(proxies.map(proxyLink)),
      longList(one.rejectedBy.map((name) => [
        `${name} `,
        one.outvoted.includes(name) ? badge("contradicted", "warn") : null,
      ])),
    ],
    one.acceptedBy.length === 0 ? "nobody" : longList(one.acceptedBy.map((name) => [name])),
    longText(one.message, "bad"),
    ago(one.since, now),
    span(Math.max(0, one.retryAt - now)),
    one.lastGood === undefined ? "nothing" : "last accepted version",
    longList(one.culprits.map(({ object, generation }) => [
      generation === undefined ? `${object} (absent)` : refLink(object),
      generation === undefined ? null : ` generation ${generation}`,
    ])),
  ];
}
