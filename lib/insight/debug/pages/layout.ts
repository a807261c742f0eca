/**
 * Parts that all debug pages share: badges, filters, pagers, links, numbers.
 *
 * @module
 */
import { isTableKind } from "../../../mesh/schema/mod.ts";
import { objectKeys, objectOfRow } from "../../../mesh/model/mod.ts";
import { parseRowRef, type RowRef, showRow } from "../../../mesh/graph/mod.ts";
import { formatDuration } from "../../../kit/base/mod.ts";
import { type ComponentChildren, h, table } from "../../../kit/web/mod.ts";

/** Color of a state. */
export type Tone = "good" | "bad" | "warn" | "plain";

/** A word in a colored pill; the color adds no information to the word. */
export function badge(word: string, tone: Tone, title?: string): ComponentChildren {
  return h("span", { class: `badge ${tone === "plain" ? "" : tone}`.trim(), title }, word);
}

/** A number with its label. */
export type Tile = readonly [label: string, value: number | string, href?: string, bad?: boolean];

/** Shows numbers side by side. */
export function tiles(list: readonly Tile[]): ComponentChildren {
  return h(
    "ul",
    { class: "tiles" },
    list.map(([label, value, href, bad]) => {
      const shown = typeof value === "number" ? value.toLocaleString("en-US") : value;
      return h("li", bad ? { class: "bad" } : null, [
        h("strong", null, shown),
        href === undefined ? h("span", { class: "mute" }, label) : h("a", { href }, label),
      ]);
    }),
  );
}

/** Shows names with values. */
export function facts(
  list: readonly (readonly [name: string, value: ComponentChildren])[],
): ComponentChildren {
  return h(
    "dl",
    null,
    list.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]),
  );
}

/** A filter: the name of the query parameter, and its values with labels. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** Shows a form that filters a list by the query of the page's own URL. */
export function filter(url: URL, choices: readonly Choice[] = []): ComponentChildren {
  const q = url.searchParams.get("q") ?? "";
  return h("form", { method: "get", action: url.pathname, role: "search" }, [
    h("label", null, [
      "Name contains",
      h("input", { type: "search", name: "q", value: q, accessKey: "f", size: 28 }),
    ]),
    url.searchParams.has("refresh")
      ? h("input", { type: "hidden", name: "refresh", value: url.searchParams.get("refresh")! })
      : null,
    ...choices.map(({ name, label, options }) =>
      h("label", null, [
        label,
        h(
          "select",
          { name },
          options.map(([value, shown]) =>
            h("option", { value, selected: url.searchParams.get(name) === value }, shown)
          ),
        ),
      ])
    ),
    h("button", { type: "submit" }, "Filter"),
  ]);
}

/** Rows on one page of a list. */
export const PAGE_SIZE = 50;

/** Returns the part of a list for the parameter `page`, and links to the other parts. */
export function paged<T>(
  url: URL,
  list: readonly T[],
): { readonly part: readonly T[]; readonly pager: ComponentChildren } {
  const last = Math.max(1, Math.ceil(list.length / PAGE_SIZE));
  const asked = Number(url.searchParams.get("page") ?? 1);
  const now = Math.min(last, Math.max(1, Number.isInteger(asked) ? asked : 1));
  const part = list.slice((now - 1) * PAGE_SIZE, now * PAGE_SIZE);
  if (last === 1) return { part, pager: null };
  const to = (page: number) => {
    const query = new URLSearchParams(url.searchParams);
    query.set("page", String(page));
    return `${url.pathname}?${query}`;
  };
  const pager = h("nav", { class: "pages", "aria-label": "Parts of the list" }, [
    now > 1 ? h("a", { href: to(now - 1), rel: "prev", accessKey: "p" }, "Previous") : null,
    h("span", { class: "mute" }, `Part ${now} of ${last}`),
    now < last ? h("a", { href: to(now + 1), rel: "next", accessKey: "n" }, "Next") : null,
  ]);
  return { part, pager };
}

/** A path of encoded segments. */
export function pathOf(...segments: readonly string[]): string {
  return `/debug/${segments.map(encodeURIComponent).join("/")}`;
}

/** A link to the page of a proxy. */
export function proxyLink(id: string): ComponentChildren {
  return h("a", { href: pathOf("proxies", id) }, id);
}

/** Pages for rows of tables without objects. */
const ROW_VIEWS: Readonly<Record<string, string>> = {
  MeshConfig: "/debug/mesh",
  MeshNetworks: "/debug/networkz",
};

/** Path segment for objects without namespace; no namespace has this name. */
export const NO_NAMESPACE = "-";

/** Links to the page of an object; rows without page are shown as text. */
export function rowLink(row: RowRef): ComponentChildren {
  const named = objectOfRow(row);
  const href = rowPath(named);
  return href === undefined ? showRow(named) : h("a", { href }, showRow(named));
}

/** Like {@link rowLink}, for a text `table/key`. */
export function refLink(ref: string): ComponentChildren {
  const row = parseRowRef(ref);
  return row === undefined ? ref : rowLink(row);
}

function rowPath({ table, key }: RowRef): string | undefined {
  // Pods have no page.
  if (!isTableKind(table) && table !== "Service") return ROW_VIEWS[table];
  const { namespace, name } = objectKeys.decode(key);
  // Objects without namespace need a segment in the path, too.
  return pathOf("objects", table, namespace || NO_NAMESPACE, name);
}

/** Keeps a number and its unit in one line. */
const SPACE = "\u00a0";

const DAY_MS = 24 * 3_600_000;

/** Formats whole seconds, as in `1m30s`; below a second milliseconds, from three days on days. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}${SPACE}ms`;
  if (ms >= 3 * DAY_MS) return `${Math.floor(ms / DAY_MS)}${SPACE}days`;
  return formatDuration(Math.floor(ms / 1000) * 1000);
}

/** Shows the time since an event, with its date; `unknown` without a time. */
export function ago(time: number | undefined, now: number): ComponentChildren {
  if (time === undefined) return "unknown";
  const date = new Date(time).toISOString();
  return h("time", { datetime: date, title: date }, span(Math.max(0, now - time)));
}

/** Formats a number with its noun. */
export function count(n: number, one: string, many: string): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}

/** Formats bytes. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes}${SPACE}B`;
  if (bytes < 1 << 20) return `${(bytes / 1024).toFixed(1)}${SPACE}KiB`;
  return `${(bytes / (1 << 20)).toFixed(1)}${SPACE}MiB`;
}

/**
 * Reports if the client is a browser: some paths have pages for browsers and JSON for other
 * clients.
 */
export function wantsPage(request: Request): boolean {
  return (request.headers.get("accept") ?? "").includes("text/html");
}

export { h, table };
