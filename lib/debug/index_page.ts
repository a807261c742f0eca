/**
 * `/debug`: state of the daemon and links to all pages.
 *
 * @module
 */
import { type ComponentChildren, json, type Route, text } from "../web/mod.ts";
import { debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";
import {
  byState,
  debugPage,
  h,
  problems,
  proxyTable,
  pushTable,
  stateTiles,
  table,
  tiles,
} from "./pages/mod.ts";
import { DEBUG_PATHS, type DebugPath, JSON_PATHS, PAGE_PATHS } from "./paths.ts";

/** `/debug` and `/debug/list`. */
export function indexRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/", () => text("", { status: 302, headers: { location: "/debug" } })),
    debugRoute("GET", "/debug", () => indexPage(inputs)),
    debugRoute("GET", "/debug/", () => indexPage(inputs)),
    debugRoute("GET", "/debug/list", () => json(DEBUG_PATHS.map((p) => p.path))),
  ];
}

/** Rows of each list; the pages have the rest. */
const SHOWN = 10;

function indexPage(inputs: DebugInputs): Response {
  const now = inputs.now();
  const sessions = [...inputs.sessions()].sort(byState);
  const faults = inputs.mesh.graph.faults().length;
  const rejected = inputs.problems().length;
  const more = sessions.length - SHOWN;
  return debugPage({
    title: "Mesh",
    at: "/debug",
    body: [
      tiles([
        ...stateTiles(sessions),
        ["objects serve", inputs.objects().length, "/debug/objects"],
        ["rejected documents", rejected, "/debug/faults", rejected > 0],
        ["faults", faults, "/debug/faults", faults > 0],
        ["revision", inputs.mesh.graph.published, "/debug/pushes"],
      ]),
      proxyTable(
        `Proxies (${sessions.length})${more > 0 ? ", those first that need attention" : ""}`,
        sessions.slice(0, SHOWN),
        now,
      ),
      problems(inputs),
      pushTable(inputs.pushes().slice(0, SHOWN), now),
      pathTable("Pages", PAGE_PATHS),
      h("details", null, [
        h("summary", null, `For scripts: ${JSON_PATHS.length} paths`),
        pathTable("Paths that answer JSON", JSON_PATHS),
      ]),
    ],
  });
}

function pathTable(caption: string, paths: readonly DebugPath[]): ComponentChildren {
  return table({
    caption,
    columns: ["Path", "Shows"],
    rows: paths.map(({ path, shows }) => [h("a", { href: path }, path), shows]),
  });
}
