/**
 * Frame of all debug pages: navigation, version, uptime, number of problems, refresh switch.
 *
 * @module
 */
import { type ComponentChildren, type Crumb, h, page } from "../../../kit/web/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { countTroubles } from "../troubles.ts";
import { count, span } from "./layout.ts";

/** The pages in the navigation. */
const PAGES = [
  ["/debug", "Overview"],
  ["/debug/proxies", "Proxies"],
  ["/debug/objects", "Objects"],
  ["/debug/services", "Services"],
  ["/debug/map", "Map"],
  ["/debug/pushes", "Pushes"],
  ["/debug/receipts", "Receipts"],
  ["/debug/faults", "Problems"],
  ["/debug/quarantine", "Quarantine"],
  ["/debug/on_demand", "On demand"],
  ["/debug/request", "Request"],
  ["/debug/incident", "Incident"],
  ["/debug/whatif", "What if"],
  ["/debug/costs", "Costs"],
  ["/debug/audit", "Audit"],
] as const;

/** A path in the navigation. */
export type PagePath = typeof PAGES[number][0];

/** Facts that every page shows. */
export interface Shell {
  readonly url: URL;
  readonly version: string;
  readonly uptimeMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly revision: number;
  /** Number of things that are wrong. */
  readonly troubles: number;
}

/** The facts for the page at a URL. */
export function shellOf(inputs: DebugInputs, url: URL): Shell {
  const now = inputs.now();
  return {
    url,
    version: inputs.version,
    uptimeMs: Math.max(0, now - inputs.startedAt),
    now,
    revision: inputs.mesh.graph.published,
    troubles: countTroubles(inputs),
  };
}

export interface DebugPage {
  readonly title: string;
  /** The page of the navigation that it belongs to. */
  readonly at: PagePath;
  readonly body: ComponentChildren;
  /** Pages between that page and this one. */
  readonly below?: readonly Crumb[];
  readonly forms?: boolean;
  readonly status?: number;
  /** False for a page that cannot be loaded again, such as the answer to a form. */
  readonly refresh?: boolean;
}

/** Renders a debug page. A page below one of the navigation has a link back to it. */
export function debugPage(shell: Shell, debug: DebugPage): Response {
  const { title, at, body, below, forms = false, status, refresh = true } = debug;
  const nav = PAGES.map(([href, label]) =>
    h(
      "a",
      href === at ? { href, "aria-current": below === undefined ? "page" : "true" } : { href },
      label,
    )
  );
  const label = PAGES.find(([href]) => href === at)![1];
  const crumbs: readonly Crumb[] = below === undefined ? [] : [[label, at], ...below];
  const seconds = refresh ? refreshOf(shell.url) : undefined;
  return page({
    title,
    nav,
    bar: bar(shell, refresh, seconds),
    refresh: seconds,
    crumbs,
    body,
    forms,
    status,
  });
}

/** Choices of the refresh switch, in seconds. */
const REFRESH = [5, 30] as const;

function refreshOf(url: URL): number | undefined {
  return REFRESH.find((seconds) => url.searchParams.get("refresh") === `${seconds}`);
}

function bar(shell: Shell, refresh: boolean, seconds: number | undefined): ComponentChildren {
  const { version, uptimeMs, now, revision, troubles } = shell;
  return [
    h("span", null, `Mesh ${version}`),
    h("span", null, `up ${span(uptimeMs)}`),
    h("span", null, `revision ${revision}`),
    h("span", null, ["at ", h("time", null, `${new Date(now).toISOString().slice(0, 19)}Z`)]),
    troubles === 0
      ? h("span", { class: "good" }, "no problem")
      : h("a", { href: "/debug", class: "bad" }, count(troubles, "problem", "problems")),
    refresh ? refreshSwitch(shell.url, seconds) : null,
  ];
}

function refreshSwitch(url: URL, now: number | undefined): ComponentChildren {
  const link = (seconds: number | undefined, label: string) => {
    const query = new URLSearchParams(url.searchParams);
    query.delete("refresh");
    if (seconds !== undefined) query.set("refresh", `${seconds}`);
    const href = query.size === 0 ? url.pathname : `${url.pathname}?${query}`;
    return h("a", seconds === now ? { href, "aria-current": "true" } : { href }, label);
  };
  return h("span", { role: "group", "aria-label": "Refresh" }, [
    "refresh: ",
    link(undefined, "off"),
    ...REFRESH.flatMap((seconds) => [" ", link(seconds, `${seconds}s`)]),
  ]);
}

/** A page for something that does not exist. */
export interface NotFound {
  readonly at: PagePath;
  readonly title: string;
  readonly sentence: ComponentChildren;
  /** Links to what has a similar name. */
  readonly near?: readonly ComponentChildren[];
  readonly below?: readonly Crumb[];
}

/** Renders a page for a missing object, proxy or resource. */
export function notFoundPage(shell: Shell, missing: NotFound): Response {
  const { at, title, sentence, near = [], below = [] } = missing;
  return debugPage(shell, {
    title,
    at,
    below,
    status: 404,
    body: [
      h("p", null, sentence),
      near.length === 0 ? null : h("section", null, [
        h("h2", null, "Similar names"),
        h("ul", null, near.map((one) => h("li", null, one))),
      ]),
    ],
  });
}
