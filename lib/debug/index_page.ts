/**
 * `/debug`: the proxies with their state and age, what was set aside, and the way
 * to everything else.
 *
 * @module
 */
import { formatDuration } from "../base/mod.ts";
import type { SessionInfo } from "../serve/mod.ts";
import {
  type ComponentChildren,
  h,
  json,
  page,
  type Route,
  table,
  type VNode,
} from "../web/mod.ts";
import { debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";
import { ageOf, proxyId } from "./proxies.ts";

/** A path with what it shows. */
export interface DebugPath {
  readonly path: string;
  readonly shows: string;
}

/** Every path, as listed on the page and by `/debug/list`. */
export const DEBUG_PATHS: readonly DebugPath[] = [
  { path: "/debug/adsz", shows: "proxies with what they watch; ?push=true sends all of it again" },
  { path: "/debug/connections", shows: "proxies without what they watch" },
  { path: "/debug/syncz", shows: "what was sent and acknowledged; ?namespace=" },
  { path: "/debug/config_dump", shows: "what a proxy is served; ?proxyID=NAME.NAMESPACE&types=" },
  { path: "/debug/edsz", shows: "endpoints that a proxy is served; ?proxyID=" },
  { path: "/debug/configz", shows: "configuration that serves; ?resource=KIND, ?problems=true" },
  { path: "/debug/registryz", shows: "services with their endpoints; ?brief" },
  { path: "/debug/graphz", shows: "tables and cells of the engine; ?values=true" },
  { path: "/debug/faultz", shows: "computations that failed" },
  { path: "/debug/list", shows: "these paths" },
];

/** `/debug` and `/debug/list`. */
export function indexRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug", () => indexPage(inputs)),
    debugRoute("GET", "/debug/", () => indexPage(inputs)),
    debugRoute("GET", "/debug/list", () => json(DEBUG_PATHS.map((p) => p.path))),
  ];
}

function indexPage(inputs: DebugInputs): Response {
  const now = inputs.now();
  const sessions = inputs.sessions();
  return page({
    title: "Mesh: debug",
    body: [
      table({
        caption: `Proxies (${sessions.length})`,
        columns: ["Proxy", "Role", "Connected for", "CDS", "LDS", "EDS", "RDS", "Transport"],
        rows: sessions.map((s) => proxyRow(s, now)),
        empty: "No proxy is connected.",
      }),
      problems(inputs),
      h("h2", null, "More"),
      h(
        "ul",
        null,
        DEBUG_PATHS.map(({ path, shows }) =>
          h("li", null, [h("a", { href: path }, path), ` ${shows}`])
        ),
      ),
    ],
  });
}

function proxyRow(session: SessionInfo, now: number): ComponentChildren[] {
  const id = proxyId(session);
  const dump = `/debug/config_dump?proxyID=${encodeURIComponent(id)}`;
  return [
    h("a", { href: dump }, id),
    session.node.role,
    seconds(now - session.connectedAt.getTime()),
    ...["cds", "lds", "eds", "rds"].map((short) => state(session, short, now)),
    session.variant,
  ];
}

function state(session: SessionInfo, short: string, now: number): ComponentChildren {
  const type = session.types.find((t) => t.short === short);
  if (type === undefined) return "not asked for";
  const age = ageOf(type, now);
  const words = age === undefined ? type.state : `${type.state} (${seconds(age)})`;
  if (type.state === "ERROR") {
    return h("span", { class: "bad", title: type.nack?.message ?? "" }, words);
  }
  return type.state === "SYNCED" ? h("span", { class: "good" }, words) : words;
}

function problems(inputs: DebugInputs): VNode {
  const list = inputs.problems();
  return table({
    caption: `Documents set aside (${list.length})`,
    columns: ["Place", "Field", "What is wrong", "What to do"],
    rows: list.map((p) => [`${p.file}:${p.line}:${p.column}`, p.path, p.message, p.remedy]),
    empty: "All configuration serves.",
  });
}

function seconds(ms: number): string {
  return formatDuration(Math.floor(ms / 1000) * 1000);
}
