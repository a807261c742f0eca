import { type ComponentChildren, Fragment, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { answer } from "./respond.ts";

export { h } from "preact";
export type { ComponentChildren, VNode } from "preact";

/** No scripts, no requests, no frames: a page can show nothing but itself. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " +
  "frame-ancestors 'none'; form-action ";

const STYLE = `
:root { color-scheme: light dark; --line: #c9ced6; --soft: #f2f4f7; --link: #0b57a4; --bad: #b3261e; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --soft: #1d2228; --link: #8ab8f0; --bad: #ff8a80; --good: #7ddc9c; }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; border-bottom: 1px solid var(--line); padding-bottom: .5rem; } nav [aria-current] { font-weight: 600; }
form { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; margin: 1rem 0; }
button, select, input { font: inherit; accent-color: var(--link); } button, select { padding: .2rem .6rem; }
.scroll { overflow-x: auto; margin: 1rem 0; border: 1px solid var(--line); border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .5rem .75rem; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem; border-top: 1px solid var(--line); }
thead th { background: var(--soft); } tbody tr:hover { background: var(--soft); }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; } pre { white-space: pre-wrap; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
`;

/** A page to be rendered. */
export interface PageOptions {
  /** Shown as the page's heading and in the window's title. */
  readonly title: string;
  /** Built with {@link h}; texts in it are escaped. */
  readonly body: ComponentChildren;
  /** Shown above the heading: the ways to other pages. */
  readonly nav?: ComponentChildren;
  /** The page has forms, which are sent to its own listener; otherwise none is sent anywhere. */
  readonly forms?: boolean;
  readonly status?: number;
}

/** An HTML answer: everything escaped, light and dark, nothing loaded from anywhere. */
export function page({ title, body, nav, forms = false, status }: PageOptions): Response {
  const document = h("html", { lang: "en" }, [
    h("head", null, [
      h("meta", { charset: "utf-8" }),
      h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      h("title", null, title),
      // The one text that is not escaped is the constant above.
      h("style", { dangerouslySetInnerHTML: { __html: STYLE } }),
    ]),
    h("body", null, [
      nav === undefined ? null : h("nav", { "aria-label": "Pages" }, nav),
      h("main", null, [h("h1", null, title), body]),
    ]),
  ]);
  return answer(`<!doctype html>\n${renderToString(document)}\n`, "text/html; charset=utf-8", {
    status,
    headers: { "content-security-policy": `${POLICY}${forms ? "'self'" : "'none'"}` },
  });
}

/** A table to be rendered; cells are texts or built with {@link h}. */
export interface TableOptions {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Shown in place of rows when there are none. */
  readonly empty?: string;
}

/**
 * A table that can be read with a keyboard and a screen reader alone: a caption, headings with
 * their scope, the first cell of a row as its heading, and a region that can be focused to be
 * scrolled.
 */
export function table({ caption, columns, rows, empty = "none" }: TableOptions): VNode {
  const head = h("tr", null, columns.map((column) => h("th", { scope: "col" }, column)));
  const body = rows.map(([first, ...rest]) =>
    h("tr", null, [h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", null, cell))])
  );
  const nothing = h("tr", null, h("td", { colSpan: columns.length }, empty));
  const whole = h("table", null, [
    h("caption", null, caption),
    h("thead", null, head),
    h("tbody", null, body.length === 0 ? nothing : body),
  ]);
  return h(
    Fragment,
    null,
    h("div", { class: "scroll", role: "region", tabIndex: 0, "aria-label": caption }, whole),
  );
}
