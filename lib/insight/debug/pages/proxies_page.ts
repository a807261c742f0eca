/**
 * Pages of the list of proxies, and of one proxy with its resources.
 *
 * @module
 */
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import { type ComponentChildren, type Route } from "../../../kit/web/mod.ts";
import { debugRoute } from "../access.ts";
import { asksFor } from "../find.ts";
import type { DebugInputs } from "../inputs.ts";
import { findProxy, proxyId, proxyName, sentencesAbout } from "../proxies.ts";
import { classOf, sidecarKeyOf } from "../endpoints.ts";
import { envoyFact, envoyState, exitedPage, exitedTable } from "./proxy_state_part.ts";
import { longList, longText } from "./collapse.ts";
import { debugPage, shellOf } from "./frame.ts";
import { noProxyPage } from "./near_pages.ts";
import { proxyHistoryPage } from "./proxy_history_page.ts";
import {
  ago,
  badge,
  count,
  facts,
  filter,
  h,
  paged,
  pathOf,
  proxyLink,
  rowLink,
  size,
  table,
  tiles,
} from "./layout.ts";
import { type ProxyState, stateOf, STATES, typeState } from "./states.ts";

/** Types in lists of proxies. */
const SHORTS = ["cds", "lds", "eds", "rds", "vhds", "ecds"] as const;

/** `/debug/proxies`, `/debug/proxies/:proxy` and `/debug/proxies/:proxy/history`. */
export function proxyPages(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/proxies", ({ url }) => proxyList(inputs, url)),
    debugRoute("GET", "/debug/proxies/:proxy", ({ url, params }) => {
      const session = findProxy(inputs, params.proxy!);
      if (session !== undefined) return proxyPage(inputs, session, url);
      return exitedPage(inputs, url, params.proxy!) ?? noProxyPage(inputs, url, params.proxy!);
    }),
    debugRoute("GET", "/debug/proxies/:proxy/history", ({ url, params }) => {
      const session = findProxy(inputs, params.proxy!);
      return session === undefined
        ? noProxyPage(inputs, url, params.proxy!)
        : proxyHistoryPage(inputs, session, url);
    }),
  ];
}

function proxyList(inputs: DebugInputs, url: URL): Response {
  const now = inputs.now();
  const q = url.searchParams.get("q") ?? "";
  const state = url.searchParams.get("state") ?? "";
  const all = inputs.sessions();
  const exited = inputs.proxyStates.exited();
  const found = all
    .filter((s) => proxyId(s).includes(q) && (state === "" || stateOf(s) === state))
    .sort(byState);
  const { part, pager } = paged(url, found);
  return debugPage(shellOf(inputs, url), {
    title: "Proxies",
    at: "/debug/proxies",
    forms: true,
    body: [
      tiles(stateTiles(inputs)),
      filter(url, [{
        name: "state",
        label: "State",
        options: [["", "any"], ...[...Object.keys(STATES), EXITED].map((s) => [s, s] as const)],
      }]),
      ...exited.length > 0 && (state === "" || state === EXITED)
        ? [exitedTable(exited.filter(({ node }) => proxyName(node).includes(q)), now)]
        : [],
      proxyTable(inputs, `${found.length} of ${all.length} proxies`, part),
      pager,
    ],
  });
}

/** The filter's value for proxies that are not connected, because they exited. */
const EXITED = "exited";

/** Shows the number of proxies in each state. */
export function stateTiles(inputs: DebugInputs): Parameters<typeof tiles>[0] {
  const sessions = inputs.sessions();
  const exited = inputs.proxyStates.exited().length;
  const states = sessions.map(stateOf);
  const count = (state: ProxyState) => states.filter((one) => one === state).length;
  const to = (state: string) => `/debug/proxies?state=${state}`;
  return [
    ["proxies", sessions.length, "/debug/proxies"],
    ["in sync", count("synced"), to("synced")],
    ["behind", count("behind"), to("behind")],
    ["with rejections", count("error"), to("error"), count("error") > 0],
    ...exited > 0 ? [["exited", exited, to(EXITED), true] as const] : [],
  ];
}

/** Sorts proxies that need attention first, then by name. */
export function byState(a: SessionInfo, b: SessionInfo): number {
  const order = Object.keys(STATES);
  const worse = order.indexOf(stateOf(a)) - order.indexOf(stateOf(b));
  return worse || (proxyId(a) < proxyId(b) ? -1 : 1);
}

export function proxyTable(
  inputs: DebugInputs,
  caption: string,
  sessions: readonly SessionInfo[],
): ComponentChildren {
  const now = inputs.now();
  return table({
    caption,
    columns: [
      "Proxy",
      "Role",
      "Connected for",
      "Envoy",
      ...SHORTS.map((short) => short.toUpperCase()),
      "Transport",
    ],
    rows: sessions.map((s) => [
      proxyLink(proxyId(s)),
      s.node.role,
      ago(s.connectedAt.getTime(), now),
      envoyState(inputs, s),
      ...SHORTS.map((short) => typeState(s, short, now)),
      s.variant,
    ]),
    empty: "No proxy. Start one with the address of this daemon, or clear the filter.",
  });
}

/** Maximum number of resources of each type before a type is selected. */
const PREVIEW = 15;

function proxyPage(inputs: DebugInputs, session: SessionInfo, url: URL): Response {
  const id = proxyId(session);
  const now = inputs.now();
  const chosen = url.searchParams.get("type") ?? "";
  const types = session.types.filter((t) => t.view !== undefined);
  const shown = types.filter((t) => chosen === "" || t.short === chosen);
  return debugPage(shellOf(inputs, url), {
    title: id,
    at: "/debug/proxies",
    below: [],
    forms: true,
    body: [
      facts(about(inputs, session)),
      table({
        caption: "Subscriptions",
        columns: ["Type", "State", "Visible", "Revision", "Rejection"],
        rows: session.types.map((t) => [
          h("a", { href: `${pathOf("proxies", id)}?type=${t.short}` }, t.short),
          typeState(session, t.short, now),
          t.view?.size ?? 0,
          t.acked?.revision ?? "none",
          t.nack === undefined ? "" : longText(t.nack.message, "bad"),
        ]),
        empty: "It has no subscription yet.",
      }),
      filter(url, [{
        name: "type",
        label: "Type",
        options: [["", "all"], ...types.map((t) => [t.short, t.short] as const)],
      }]),
      ...shown.map((t) => resourceList(session, t, url, chosen !== "")),
    ],
  });
}

function about(inputs: DebugInputs, session: SessionInfo) {
  const { node } = session;
  const cls = classOf(session);
  const labels = Object.entries(cls.labels).map(([key, value]) => `${key}=${value}`).join(" ");
  const mates = inputs.sessions().filter((s) => s.classKey === session.classKey).length;
  const sidecar = sidecarKeyOf(inputs, session);
  const warnings = sentencesAbout(inputs, session);
  const dump = `/debug/config_dump?proxyID=${encodeURIComponent(proxyId(session))}`;
  return [
    ["Node", `${node.id}${node.buildVersion && `, Envoy ${node.buildVersion}`}`],
    ["Connection", `${session.connectionId} from ${session.address}, ${session.variant}`],
    ["Envoy", envoyFact(inputs, session)],
    ["Labels", labels || "none"],
    ...warnings.map((warning) => ["Warning", warning] as const),
    ["Same class as", count(mates - 1, "other proxy", "other proxies")],
    [
      "Services of the workload",
      cls.targets.length === 0
        ? "none"
        : longList(cls.targets.map((t) => `${t.service}:${t.port}`)),
    ],
    ["Sidecar resource", sidecar === "" ? "none" : rowLink({ table: "Sidecar", key: sidecar })],
    [
      "History",
      h("a", { href: pathOf("proxies", proxyId(session), "history") }, "changes of its resources"),
    ],
    ["As JSON", h("a", { href: dump }, "dump of its configuration")],
  ] as const;
}

function resourceList(
  session: SessionInfo,
  { short, typeUrl, view }: SessionInfo["types"][number],
  url: URL,
  whole: boolean,
): ComponentChildren {
  const q = url.searchParams.get("q") ?? "";
  const all = [...view!.names()].filter((name) => name.includes(q)).sort();
  const { part, pager } = whole ? paged(url, all) : { part: all.slice(0, PREVIEW), pager: null };
  const asked = asksFor(session, typeUrl);
  const id = proxyId(session);
  const more = new URLSearchParams({ type: short, ...(q === "" ? {} : { q }) });
  return h("section", null, [
    table({
      caption: `${short.toUpperCase()}: ${all.length} of ${view!.size} resources`,
      even: true,
      columns: ["Name", "Size", "Version", "Subscribed"],
      rows: part.map((name) => {
        const resource = view!.get(name)!;
        return [
          h("a", { href: pathOf("proxies", id, short, name) }, name),
          size(resource.bytes.length),
          h("code", null, resource.version.slice(0, 10)),
          asked(name) ? "yes" : badge("no", "plain"),
        ];
      }),
      empty: "No matching resource.",
    }),
    pager,
    !whole && all.length > PREVIEW
      ? h("p", null, h("a", { href: `${pathOf("proxies", id)}?${more}` }, `All ${all.length}`))
      : null,
  ]);
}
