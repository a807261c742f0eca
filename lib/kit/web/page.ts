import { type ComponentChildren, Fragment, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { answer } from "./respond.ts";
import { STYLE } from "./style.ts";

export { h } from "preact";
export type { ComponentChildren, VNode } from "preact";

/** No scripts, no requests, no frames: a page can show nothing but itself. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " +
  "frame-ancestors 'none'; form-action ";

/** A page above this one: what it is called and where it is. */
export type Crumb = readonly [label: string, href: string];

/** A page to be rendered. */
export interface PageOptions {
  /** Shown as the page's heading and in the window's title. */
  readonly title: string;
  /** Built with {@link h}; texts in it are escaped. */
  readonly body: ComponentChildren;
  /** Shown above everything: the ways to other pages. */
  readonly nav?: ComponentChildren;
  /** Shown below the ways to other pages: facts that all pages show. */
  readonly bar?: ComponentChildren;
  /** Seconds after which the browser loads the page again. */
  readonly refresh?: number;
  /** Shown above the heading: the pages that this one lies below, the outermost first. */
  readonly crumbs?: readonly Crumb[];
  /** The page has forms, which are sent to its own listener; otherwise none is sent anywhere. */
  readonly forms?: boolean;
  readonly status?: number;
}

/** An HTML answer: everything escaped, light and dark, nothing loaded from anywhere. */
export function page(options: PageOptions): Response {
  const { title, body, nav, bar, refresh, crumbs = [], forms = false, status } = options;
  const document = h("html", { lang: "en" }, [
    h("head", null, [
      h("meta", { charset: "utf-8" }),
      h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      refresh === undefined ? null : h("meta", { "http-equiv": "refresh", content: `${refresh}` }),
      h("title", null, title),
      // The one text that is not escaped is the constant.
      h("style", { dangerouslySetInnerHTML: { __html: STYLE } }),
    ]),
    h("body", null, [
      h("a", { class: "skip", href: "#main" }, "Skip to the content"),
      nav === undefined ? null : h("header", null, [
        h("nav", { "aria-label": "Pages" }, nav),
        bar === undefined ? null : h("div", { class: "bar" }, bar),
      ]),
      h("main", { id: "main", tabIndex: -1 }, [
        crumbs.length === 0 ? null : breadcrumbs(crumbs, title),
        h("h1", null, title),
        body,
      ]),
    ]),
  ]);
  return answer(`<!doctype html>\n${renderToString(document)}\n`, "text/html; charset=utf-8", {
    status,
    headers: { "content-security-policy": `${POLICY}${forms ? "'self'" : "'none'"}` },
  });
}

function breadcrumbs(crumbs: readonly Crumb[], title: string): ComponentChildren {
  return h(
    "nav",
    { class: "crumbs", "aria-label": "Breadcrumbs" },
    h("ol", null, [
      ...crumbs.map(([label, href]) => h("li", null, h("a", { href }, label))),
      h("li", { "aria-current": "page" }, title),
    ]),
  );
}

/** A table to be rendered; cells are texts or built with {@link h}. Numbers are set to the right. */
export interface TableOptions {
  readonly caption: ComponentChildren;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown in place of rows when there are none. */
  readonly empty?: string;
  /** Label of the region for screen readers, if the caption is not text. */
  readonly label?: string;
  /** Columns as wide as in other tables of as many: for tables that stand below each other. */
  readonly even?: boolean;
}

/**
 * A table that can be read with a keyboard and a screen reader alone: a caption, headings with
 * their scope, the first cell of a row as its heading, and a region that can be focused to be
 * scrolled.
 */
export function table(options: TableOptions): VNode {
  const { caption, columns, rows, empty = "none" } = options;
  const numeric = (at: number) => at > 0 && rows.some((row) => typeof row[at] === "number");
  const side = (at: number) => numeric(at) ? { class: "number" } : {};
  const head = h(
    "tr",
    null,
    columns.map((column, at) => h("th", { scope: "col", ...side(at) }, column)),
  );
  // Narrow windows show each row as a block, where the label stands beside the value.
  const sides = columns.map((label, at) => ({ ...side(at), "data-label": label }));
  const body = rows.map(([first, ...rest]) =>
    h("tr", null, [
      h("th", { scope: "row" }, first),
      ...rest.map((cell, at) => h("td", isEmpty(cell) ? null : sides[at + 1] ?? null, shown(cell))),
    ])
  );
  const nothing = h("tr", { class: "none" }, h("td", { colSpan: columns.length }, empty));
  const whole = h("table", options.even ? { class: "even" } : null, [
    h("caption", null, caption),
    h("thead", null, head),
    h("tbody", null, body.length === 0 ? nothing : body),
  ]);
  const label = options.label ?? (typeof caption === "string" ? caption : undefined);
  return h(
    Fragment,
    null,
    h("div", { class: "scroll", role: "region", tabIndex: 0, "aria-label": label }, whole),
  );
}

/** Cells without content have no label in narrow windows. */
function isEmpty(cell: ComponentChildren): boolean {
  return cell === "" || cell === null || cell === undefined ||
    Array.isArray(cell) && cell.every(isEmpty);
}

/** Thousands apart, so that the eye need not count. */
function shown(cell: ComponentChildren): ComponentChildren {
  return typeof cell === "number" ? cell.toLocaleString("en-US") : cell;
}
