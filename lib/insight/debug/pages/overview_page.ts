/**
 * `/debug`: what is wrong, state of the daemon, and links to all pages.
 *
 * @module
 */
import { type ComponentChildren, json, type Route, text } from "../../../kit/web/mod.ts";
import { debugRoute } from "../access.ts";
import type { DebugInputs } from "../inputs.ts";
import { nearNames } from "../near_names.ts";
import {
  byState,
  debugPage,
  h,
  notFoundPage,
  proxyLink,
  proxyTable,
  pushTable,
  receiptTable,
  scopePart,
  shellOf,
  stateTiles,
  table,
  tiles,
  troublePart,
  wantsPage,
} from "./mod.ts";
import { hourPart } from "./hour_part.ts";
import { DEBUG_PATHS, type DebugPath, JSON_PATHS, PAGE_PATHS } from "../paths.ts";
import { troublesOf } from "../troubles.ts";

/** `/debug` and `/debug/list`. */
export function indexRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/", () => text("", { status: 302, headers: { location: "/debug" } })),
    debugRoute("GET", "/debug", ({ url }) => indexPage(inputs, url)),
    debugRoute("GET", "/debug/", ({ url }) => indexPage(inputs, url)),
    debugRoute("GET", "/debug/list", () => json(DEBUG_PATHS.map((p) => p.path))),
  ];
}

/** Responds to every other path below `/debug` with near paths; the last of all routes. */
export function unknownPathRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/*rest", ({ url, request }) => {
      const near = nearNames(DEBUG_PATHS.map(({ path }) => path), url.pathname);
      if (!wantsPage(request)) {
        return text(`no such path; near it: ${near.join(", ")}\n`, { status: 404 });
      }
      return notFoundPage(shellOf(inputs, url), {
        at: "/debug",
        title: url.pathname,
        sentence: "There is no such page.",
        near: near.map((path) => h("a", { href: path }, path)),
      });
    }),
  ];
}

/** Rows of each list; the pages have the rest. */
const SHOWN = 8;

function indexPage(inputs: DebugInputs, url: URL): Response {
  const now = inputs.now();
  const sessions = [...inputs.sessions()].sort(byState);
  const mistakes = inputs.analysis().filter(({ level }) => level !== "Info").length;
  const more = sessions.length - SHOWN;
  const { published } = inputs.mesh.graph;
  return debugPage(shellOf(inputs, url), {
    title: "Mesh",
    at: "/debug",
    body: [
      troublePart(troublesOf(inputs), sessions.length, now),
      scopePart(inputs.startedAt, now),
      tiles([
        ...stateTiles(inputs),
        ["objects in use", inputs.objects().length, "/debug/objects"],
        ["likely mistakes", mistakes, "/debug/faults#mistakes"],
        ["revision", published, "/debug/pushes"],
      ]),
      hourPart(inputs.samples(), now),
      receiptTable(inputs.receipts.latest(SHOWN), now, "Latest edits"),
      proxyTable(
        inputs,
        `Proxies (${sessions.length})${more > 0 ? ", those first that need attention" : ""}`,
        sessions.slice(0, SHOWN),
      ),
      ...proxyWarnings(inputs),
      pushTable(inputs.pushes().slice(0, SHOWN), now),
      h("details", null, [
        h("summary", null, `All ${PAGE_PATHS.length} pages`),
        pathTable("Pages", PAGE_PATHS),
      ]),
      h("details", null, [
        h("summary", null, `For scripts: ${JSON_PATHS.length} paths`),
        pathTable("Paths that answer JSON", JSON_PATHS),
      ]),
    ],
  });
}

/** A table of warnings about proxies, if there are any. */
function proxyWarnings(inputs: DebugInputs): ComponentChildren[] {
  const warnings = inputs.proxyWarnings();
  if (warnings.length === 0) return [];
  return [table({
    caption: `Warnings about proxies (${warnings.length})`,
    columns: ["Proxies", "Warning", "Remedy"],
    rows: warnings.slice(0, SHOWN).map(({ proxies, message, remedy }) => [
      proxies.slice(0, SHOWN).map((id) => [proxyLink(id), " "]),
      message,
      remedy,
    ]),
    empty: "",
  })];
}

function pathTable(caption: string, paths: readonly DebugPath[]): ComponentChildren {
  return table({
    caption,
    columns: ["Path", "Shows"],
    rows: paths.map(({ path, shows }) => [h("a", { href: path }, path), shows]),
  });
}
